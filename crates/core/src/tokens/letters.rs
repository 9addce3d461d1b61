//! How likely a token ends between two letters of a word.

/// For every three letters, how likely a token of them ends before the third, in four levels of
/// two bits; a character holds three of them, from `0` on. The rows of letters that stand after
/// `z` are those of the first two letters of a word. Counted in code, in texts of many languages
/// and in random letters.
const LEVELS: &[u8] = br"
P81028101U?[cchomg8l@O_<_bI7NnLmK]=0@^0=P=0^d;_^_LoOOcZoEm:o]oOkWkk;_d23h0k0S<_knnno_omo?W_kmOmjIZ
M;F18gGcnnN?:o]`Lg?;l:\\CAl0S00R_gano>6oNooog_:Skj@SLU[@_cmcakUo2oLc33nge7o\13j0g0o?Og^onmoo>o[oo_
lo^onoOoonogGgnmMo?ono_kkkoKlT3@P0S0P0Igmmjm_k=A?71af?nH`ON_?Z_kH01d3\3T6UA[cVe?gilh_M_Y_kOcjnimVo
]00808`<b;]oZjZk_oJgUeV^F[Ml?cSckglfUW=JBQZGJ?:odORoI0hn00`00fTD_6S0k;k_jmkRijmk?goccklo0iOKE`Jk_6
bef\Kl940BP<`9P6TjMFK^jCZBe_f^[eOYGkknn?bk^koeghooZFfjVogfR0dV08`00EhooOOGog^Waimnaom8K[o[oknnQnJ0
S0__Y4>mUmGinJ:6bFfI^glo_iOHNo@0900<3<`YOQZjN[ofmgOnZk^gORmklmLo>LOoemi^lf`bOj[d_kQ69`0<02_kZKcl`?
`nZn_NjZ?O^c\n\nfo=gMOUjl<_om_?NKgO?@45P3L3\Bk=o_jjknjPY[U[QlWjHonooWlMf_od=ionWno_oonneP:0@38002o
M[gkbkleNl\77@_igBnlol?o=DRkP9P5CKj>O?OHoo6BR]F\BILnOSjSZ;Y`02X0B0C8:ZjJXRNonoNj[_jZ^g`Z;=Oj_cGB\]
M[1o>XLBgVl7Xn0B<0C04K]fDh]HBl?Zoob_ISojLoOO??Kc]7Cj^?COZm?7_NaK``@Z\0c0_OJGI^Z^O[\^NKjKk_4mZ__oom
oJ^oonC_?o^k?K_WoK]420P0b000GcnnimEnMfO73ca5jKjcOnogO[L8J`3<3dDnBckce7ofmmOW?IOgOWmnZhaj\0@D00P8Q:
mo[_:f_o_k^ojnGk]e3[cT\Jlhmo__Cc_c]6:Ofk1OJ0@I08P01GljO730o[_oomokloniE[iF`8LkIm]jF`?kMgbonn4cJ40D
P<`=A6HkOkOlk_Ogfne]?ombOWolo;oejooJOcmooWnojoVkG0`00<Q005ZkOOOF_cEGb`A\CoZH3koje[nb0Fm@k0l7Namnon
?onoN?k[conkmn_YOH^g@060143<R^o]Z[Y[ofUjYF[Umk?7mnlomo<INkeXe:igab_o[dog`?<`0L0@ngI;big;ao[ooJh^Oo
Ncmo\loo?k<GWem<_kll_o[7mg`55@3<38Qk9gfZj^^idm_i[Zlkjnoooogl_jNgU:h_oVZm_n[jmT@=002<200Z_kgkegYi4L
X1;DWiA2jVVmHm7HZ_T:`>2Yd:^IKIYG[camjlYoN_Oggfo>_d01@0C0c<K[k^jj^omJJVUJjZNk`oO8?joc63NhJNE]MlMWmj
m7mdABL0300WJUFhJLBm_no_b_;S[glo_o7__gngUb^oS[niO;OBa_X`@FD0G0oB^SMj^^[^^^JKjJiO9iV__Zkmo7___oF?;o
j[O[[[n_]H1PP0R0@0F6ZIX\FjNQZ72Ef=YIeO^[_6_[46nh3\2T>UBcQZb6VhiTKY[IV`^SjnimRo]00h00P8b:inZnYj_o;[
ZUV^V[Nl;cg6mKl`Dg:BBa[WJ7AninbnO4@V00`00ZYEm:SDO7[_nm[VXnmj>ckcaGmnLe\;K`Rkofbn?mCon02F0<`=`7XZNZ
KZZ[KWb^UNGbNJWkj_kOfk[koUg2okZWgkSojgC4lJ08`8\[\oO?o=OoOcaa]m2o9m9[gGmKfnSJZ0o0@OOTlodoRo>oM7m7gG
ogmoOjo8oo@0901<3<Rn[k?;nooklmMooi_o_3mh]o5o=_<gmhogog0BHMQ`C6b??P3<0BnkO?gdm=nokooOi^?_]3^jDj6o^g
O;IIh;nk\lOMO@_aQ5:@3<3HAo?gogkonbUlkZ[JmS_gmomokonkO[eYn_mklo_oOoom@<003<101JMZfJjKie9X\2GDVIV4Zf
Z^YiJ0hL0=`:0iT6YFJHiKSRR^W]RZJZ:GfVj;Y@10`0S0c8_knonoNon_=ZB[jJ^faZZMKZgSEFJfNJFI=\=BoZj;m\21H0c0
4;ZVBhI=BD_ooog_JgoeDVOJ>IRCnc6k]O3inHG;ZA`JPH1C\0g0k4YFUZ9m^YZY^FiFiKEmJO_[[lo:i[Ze3^JnVZ;GNJoKY8
3A`0c000EQJmh]YnMA:71Be:h@T=:J7FKBk7^d2L3`9YAGR6U5Qjmho^_6ogOWinimRo]0@\04`<c6nn[n^fooOg]iinFk^l?g
jWnKlbagOG[a_g[3JohoSoN4`Z04`00ZIP]:30Z7Zkom[fijnk:kfceGlkml__S`^noWboj\Kn>4DZ0<`>aKhjoW_jjgKkco[^
[fnJ[kiNk?b_nooBgVoojWfjZ_jjF0hH0<`802TVjMKEOSXBa`DIA^VkO[oOdkobBA^To0F6jUYnh]YjnON;fGb7]bHn^Z;I^Z
@070083<c__j_R^cofmiZFOE[gGCjoho:O=YNkUAXKhfaV___i[W@>?d180A=k5:Rhe?angnoOiZ>_EBMl\\Y^>[=;ZQm>[gd\
^nKG_SP18@3L3XBj:WhjjKnbUY[U[J]GeYnnk_gl[ongn^mo_[X^]n[n]TP>403<283m?gccekle5\\6C8kVC3mkn__omXHKD5
`;1iU:>J:IiK;cSmjmCoNmN?kReKYX10P0C0C8[gjJ[fNon^NZ5Kaj]kaoONoo_S73mm]OUo>X<BjVl?\l1AT0S00BOfall<Ao
_kokg_:WkfDGOK>9GCng;on?Boom?7_6a_hd23@0c0f2\S\^J^[_MYJJj:f_:hZ___ono;moonJoOoj^kK_KoKZH3A@0c0P0JV
]mhmIo>g?72Vb?lWm_O_KW_kY5KX3T2@IE1SeBQ7Qkmk^O_TO_OSmomnUo\00H0004c6eoZ_>c_o[kY^RnJ[]\:RgSnKldUj^G
FfOGO;:om_CnO0eK04`06gMh[3C0?7ZoknoRhjmR9gicbIdWlDNOGhYk_fbmm]?[]04V@8`>a2djNZK^jkOFQZR\[a_FWkjonO
bgNnoPganoJfjkVo[gJ0T808P006noSOoQ_gMcacnnAoJ]?o_fmWlXB7X0b0X6ohmonnbo__NKcKbolomo_l_]]oP0:0183<S^
?joknWokloNg_c_kO1^hmoJON>;WlXn_mk@BZENPgfP<2P2<02Jk?;eiU;ljkooOmn>_M3>a6ECk>kOGojl?oillOoOEooe;=\
c<3Zjo?gokoonkmoOLobokoknooogn>oOgZ^lookm]onojnfP=8038001BIVcGe[lj]l\;?T_o20if^Y[lHPJoP2@7W^U7?N[T
O?[cSnjlko]o_goff;nh01T0B0c8?Wo]ZWNomoLgZKiK]cloOoOnOcWSmm_OGo=H<7gViKmXB0H0200B_gmlllWo?^oof_6Skk
lo?o?]omngbonoRoNkO3og`klh0B80c0k9]SVm^n[_NLNJiFf[5nooooonooo_nn3]KooZ_W_Oo_YL21P0R0@0YFZJY]Jm=E6;
1FU8eHP^]J[E^IP86@3P301ZBZVJF:RiXU[=[JZQZRje]YRZD00I04@<A9j^V^Zf_oZWZEV]FW_lOkggoolifZ^FQUYK56:^j^
R\>0`908P01JIUZ:W9_;ooomoomon59gafeEdmEDY6[@einFbfV]GX<_?cjWb?ojhZ[V[YV[ZBR^V^GaOIkkk_jOejZVnAWFnU
[VfjZ_Ve[0T@0<P809XoOOOF_cLSa`mnboZL;gojhOYRA1Z@D0VJ:DJmhlAnnO>[oRdemchm^ZZT[X@0:@081<R^OX[VNgkkek
Jh[WkgO7lleoZo=^OgjZl[je`RKVKGk[U=>81L@@EUJ;EaQ;Pjkoo^i^?oOcmoTn]o6k>S^gL:_kU\O[[G_cP1:@3<3iUn>Wjg
nkjfjlKh[2lWfMnNooWlNoogoUn__jim^n_jndP<502<105]:ZWVbWhW=l\?K<_kF1mcY^VZYP8[@905S^E;NJ:8JK;ccoon^o
loOkockKod01P020c8oki[n[Jom_OgkohOmg`^O=?i_cCGm]]_8o]\XZoVnOlh33\0K04jKcbllLFn__ooboFSkb4WOK>ASSO`
enMoQgmlNkmV`km`02D0c0j>Nc<oZ_^onn?Gl3no?mZOo_oio6^[_mCN;o[kOKOoo_mX3@@020@06UF]eM9NJZg;0QV:]VP_Oo
?_OkM;;T3<2X^dAgaBf:fiXUO9;9VV?Blo8iLoN008000<R5emVnmk_oOgYiZnFkNl;bR3hWlTeg[72@oSN3M^moWoN8TY00`1
4S\\^;C@?Zj_jm[Vhnmo;gkcmchoMj^o[`mK^Sfhj<Nn=0@I08`9Q3XkJWKZ:kNSGoT][fOokok^k?jo_oo6c[okncgoVoVkB0
d00<P80>noc6kfok\cbalnRojm=kkkoonnbkn0o0G^ohoono[on_M7oolg]gion^_=ok@0?P2<3<aoOkogmkognn^oof_oO2nh
j_bo=>?km<mgog1RHMOdlkP94@1800FlNochi?noko_Zi]O_L`MlaL6_][?7kia;]kI<?kCRoea8443<2HBo>kngjoOnenkikj
m__kooookonk^oe9loog]o_ooo_h`9103<101IJWbZe[hjEl\GSD_nF1ni^]enN`YNP?`;QJV6Z9K1Z;[cSmklWoMlO[jWf;^d
01`030c8ZWjZVZ:on^NF5JhZMk`;KLOi_cKComM_7oMHLFjJjJil3RL0B00BJVShULFlO^o_fn7[WcY[O[?D[cncC`ZO3;^l;7
OKaO`hA1e0c0Z5nGJn^^[nNZM:jNj_5mZ__Z[ioG^G_nV_Oo^o_K_?oKIH3@00c0A0JF]mhlZoMAK;2Ff9mEd_^ooW_ZC6M\3l
38[IQWbJfFIiXh[I_JZk?clolnco>00H04`<a>moR[^f_oVWIUInbG^X6RgRiYliek_GWbog_3_mnoCoO4hO00`0:kMaO7CD_;
[[km[RijlV>cgcaVho\dmWk`Rj_2boelWl>4080<`=U5YjZV[ZV[okoomoocoZWkonnOaoZknRSUog[VjgW_ZfG0TH08@409VK
_O_JOSEBa`M]Bo]D;jGifWnm15h0k0`2FXNnm\GnnJ8;fJaFURTYJKZHZV@0601<3<Q^[ZJJH[ohYVUJ[JZgJ2Y]T^F_<YJ[RU
HZYhQa[IWX[VP8202800@R8FRPa>Qn[no:h^N_ZBEjH]V=:U8;:YX<NOllooO7_k106@383DAV9ZjZjJfjUXZYKZlKonnoookl
_kooiMi_oGim^Z_n^T`=103<100Z:^fZaVYR8\l:J\khV6^Zjn^^X00_4=`=1ZU6^:ZTiKZgWm^]Z_IZJWZWZJiX01P0B0c4[W
nJ^Z>on^nWFKi[]g`oM<?ngccgnl]_Oom`\oo_o?olB1d0C006_calmLBo_n_Oj_KWWjL[O;?F[c_geonoCokm;7kFaKdX00P0
S0b5JRIZJ^GIMYJ9ZRiJ:nI_oZkZoFn_omS^?nNn?[__o_^L30P030P065ZmY\En<DJ;1J`9iHQ]MOkTOVi8:A1\3`FYQVVJV:
Um\T[F[^VVOgnnjnRom0@L00`<b6]_VZZg_o[gZeWnDk\\5QBYiYHeUWmBfUKG[7Eoj_VoN4PO04`01ZXXJ:b4[6f_km[RYfmQ
9WZRIFXN9PTBT@Ug^^`jU\Wn=0@X0<`>aJXVZV[ZZWKSboVnKbNIWkj[iObo^onTgcoo_goomoko90PD04@001DV:8?::R4@QT
88@E496RVRYFIEA1E0d0A:5@XX@HEY^^:EfGaRY6djJ[:HNV@81E1439Q^OiZVIW_fhjFD_JUk:BXXX^YZHL8VEQXRXQPbFZ7Y
:5P<6Q2801TF96AFA2T^ooo_iZ?_IRIjXV8YX0:141128FXXIF;5H16EXT3<1YU^>[ZbjVYVXX>ZK6]WVYnnK^kmNjNkk2j_n[
mjNiOoMY
";

const LETTERS: usize = 26;
const PACKED: usize = (LETTERS + 1) * LETTERS * LETTERS / 3;

static TABLE: [u8; PACKED] = {
    let (mut table, mut at, mut next) = ([0; PACKED], 0, 0);
    while at < LEVELS.len() {
        if LEVELS[at] != b'\n' {
            table[next] = LEVELS[at] - b'0';
            next += 1;
        }
        at += 1;
    }
    table
};

/// The letters of a word that the next one is seen with.
#[derive(Clone, Copy)]
pub(super) struct Context(Option<usize>);

impl Context {
    /// Of a letter that is none of ASCII.
    pub(super) const UNKNOWN: Self = Self(None);

    /// Of the first letter of a word.
    pub(super) fn first(letter: char) -> Self {
        Self(Some(LETTERS * LETTERS + index(letter)))
    }

    /// How likely a token ends before the next letter, from 0 to 3.
    pub(super) fn level(&mut self, letter: char) -> usize {
        let Some(before) = self.0 else {
            *self = Self::first(letter);
            return 0;
        };
        let letter = index(letter);
        self.0 = Some(before % LETTERS * LETTERS + letter);
        let at = before * LETTERS + letter;
        usize::from(TABLE[at / 3] >> (4 - at % 3 * 2) & 3)
    }
}

fn index(letter: char) -> usize {
    usize::from((letter as u8).to_ascii_lowercase() - b'a')
}
