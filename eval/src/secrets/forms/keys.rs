//! Private keys whole and cut, certificates with their keys, and seed phrases.

use super::Form;

pub(super) const KEYS: &[Form] = &[
    (
        "rsa key",
        &[
            "key:\n«-----BEGIN RSA PRIVATE KEY-----\nMII{b61}\n{b64}\n{b64}\n{b30}==\n-----END RSA PRIVATE KEY-----»\n",
        ],
    ),
    (
        "pkcs8 key in json",
        &[
            "{\"private_key\": \"«-----BEGIN PRIVATE KEY-----\\nMII{b61}\\n{b64}\\n{b64}\\n-----END PRIVATE KEY-----»\\n\", \"id\": 1}",
        ],
    ),
    (
        "openssh key",
        &[
            "«-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA{b50}\n{b70}\n{b70}\n{b20}=\n-----END OPENSSH PRIVATE KEY-----»\ndone\n",
        ],
    ),
    (
        "key without an end",
        &[
            "cat id_rsa\n«-----BEGIN EC PRIVATE KEY-----\nMHc{b61}\n{b64}»\n\nthe terminal cut it off here\n",
        ],
    ),
    (
        "encrypted key",
        &[
            "«-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,{u32}\n\n{b64}\n{b64}\n-----END RSA PRIVATE KEY-----»\n",
        ],
    ),
    (
        "pgp key",
        &[
            "«-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ{b62}\n{b64}\n={b4}\n-----END PGP PRIVATE KEY BLOCK-----»\n",
        ],
    ),
    (
        "key in yaml",
        &[
            "tls:\n  key: |\n    «-----BEGIN PRIVATE KEY-----\n    MII{b61}\n    {b64}\n    -----END PRIVATE KEY-----»\n  crt: x\n",
        ],
    ),
    (
        "key on one line",
        &[
            "SSH_KEY=\"«-----BEGIN PRIVATE KEY-----\\nMII{b61}\\n{b64}\\n-----END PRIVATE KEY-----»\\n\"\n",
        ],
    ),
    (
        "key cut in the middle by an ellipsis",
        &[
            "⟦-----BEGIN RSA PRIVATE KEY-----\nMII«{b61}»\n«{b64}»\n…\n«{b64}»\n«{b30}==»\n-----END RSA PRIVATE KEY-----⟧\n",
            "cat key.pem\n⟦-----BEGIN PRIVATE KEY-----\nMII«{b61}»\n… 24 lines …\n«{b64}»\n-----END PRIVATE KEY-----⟧\ndone\n",
        ],
    ),
    (
        "key cut in the middle by dots",
        &[
            "⟦-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA«{b50}»\n...\n«{b70}»\n-----END OPENSSH PRIVATE KEY-----⟧\n",
            "⟦-----BEGIN EC PRIVATE KEY-----\nMHc«{b61}»\n[...]\n«{b40}==»\n-----END EC PRIVATE KEY-----⟧\nnext\n",
        ],
    ),
    (
        "key cut at its end by an ellipsis",
        &[
            "⟦-----BEGIN RSA PRIVATE KEY-----\nMII«{b61}»\n«{b64}»\n«{b20}»…⟧\n\nThe rest was not shown.\n",
            "⟦-----BEGIN PRIVATE KEY-----\nMII«{b61}»\n«{b64}»\n«{b20}»...⟧\n\nThe rest was not shown.\n",
        ],
    ),
    (
        "key cut in its line",
        &[
            "\"⟦-----BEGIN PRIVATE KEY-----\\nMII«{b40}»…⟧\"\n",
            "key = \"⟦-----BEGIN RSA PRIVATE KEY-----\\nMII«{b61}»\\n«{b12}»...⟧\"\n",
            "echo \"⟦-----BEGIN PRIVATE KEY----- MII«{b50}» ... -----END PRIVATE KEY-----⟧\"\n",
        ],
    ),
    (
        "end of a key alone",
        &[
            "⟦...\n«{b64}»\n«{b64}»\n«{b30}==»\n-----END RSA PRIVATE KEY-----⟧\n",
            "tail -3 key.pem\n⟦«{b64}»\n«{b64}»\n«{b22}==»\n-----END PRIVATE KEY-----⟧\n",
        ],
    ),
    (
        "key in a diff",
        &[
            "+⟦-----BEGIN PRIVATE KEY-----\n+MII«{b61}»\n+«{b64}»\n+-----END PRIVATE KEY-----⟧\n",
            "-⟦-----BEGIN RSA PRIVATE KEY-----\n-MII«{b61}»\n-«{b64}»\n------END RSA PRIVATE KEY-----⟧\n",
        ],
    ),
    (
        "key quoted with a sign",
        &[
            "> ⟦-----BEGIN PRIVATE KEY-----\n> MII«{b61}»\n> «{b64}»\n> -----END PRIVATE KEY-----⟧\n",
        ],
    ),
    (
        "key with line numbers",
        &[
            "     1\t⟦-----BEGIN PRIVATE KEY-----\n     2\tMII«{b61}»\n     3\t«{b64}»\n     4\t-----END PRIVATE KEY-----⟧\n",
            "1: ⟦-----BEGIN EC PRIVATE KEY-----\n2: MHc«{b61}»\n3: «{b20}==»\n4: -----END EC PRIVATE KEY-----⟧\n",
        ],
    ),
    (
        "dsa key",
        &["«-----BEGIN DSA PRIVATE KEY-----\nMII{b61}\n{b64}\n-----END DSA PRIVATE KEY-----»\n"],
    ),
    (
        "encrypted pkcs8 key",
        &[
            "«-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII{b61}\n{b64}\n-----END ENCRYPTED PRIVATE KEY-----»\n",
        ],
    ),
    (
        "key between certificates",
        &[
            "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl{b50}\n-----END CERTIFICATE-----\n«-----BEGIN PRIVATE KEY-----\nMII{b61}\n{b64}\n-----END PRIVATE KEY-----»\n",
        ],
    ),
    (
        "ssh2 key",
        &[
            "⟦---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"rsa\"\n«{b70}»\n«{b70}»\n---- END SSH2 ENCRYPTED PRIVATE KEY ----⟧\n",
        ],
    ),
    (
        "putty key",
        &[
            "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: dev\nPrivate-Lines: 1\n«{b44}»\nPrivate-MAC: «{h64}»\n",
        ],
    ),
    (
        "jwk",
        &[
            "{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"{w43}\",\"y\":\"{w43}\",\"d\":\"«{w43}»\"}\n",
            "{\"kty\":\"oct\",\"k\":\"«{w86}»\",\"alg\":\"HS512\"}\n",
        ],
    ),
    (
        "kubeconfig client key",
        &[
            "users:\n- name: admin\n  user:\n    client-certificate-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{b120}\n    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt{b200}==»\n",
            "    client-key-data: «LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCk1I{b160}=»\n",
            "{\"client-key-data\":\"«LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt{b200}»\"}\n",
        ],
    ),
    (
        "kubeconfig token",
        &[
            "users:\n- name: ci\n  user:\n    token: «eyJhbGciOiJSUzI1NiIsImtpZCI6I{a43}.eyJ{a200}.{w342}»\n",
        ],
    ),
    (
        "key in base64",
        &[
            "TLS_KEY_B64=«LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1J{b200}=»\n",
            "base64 -d <<< «LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZLS0tLS0K{b200}» > key\n",
        ],
    ),
    (
        "kubernetes tls secret",
        &[
            "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/tls\ndata:\n  tls.crt: «LS0tLS1CRUdJTiBDRVJU{b120}»\n  tls.key: «LS0tLS1CRUdJTiBSU0Eg{b120}»\n",
        ],
    ),
    (
        "seed phrase of 12 words",
        &[
            "«{M12}»\n",
            "my seed phrase is «{M12}» please import it\n",
            "MNEMONIC=\"«{M12}»\"\n",
            "Recovery phrase:\n\n    «{M12}»\n\nKeep it safe.\n",
            "{\"mnemonic\": \"«{M12}»\", \"path\": \"m/44'/60'/0'/0\"}\n",
            "const HDWallet = new HDWalletProvider(\"«{M12}»\", rpc);\n",
        ],
    ),
    (
        "seed phrase of 24 words",
        &[
            "«{M24}»\n",
            "The wallet was restored from «{M24}» on the test phone.\n",
            "seed: «{M24}»\n",
            "`«{M24}»`\n",
            "$ solana-keygen recover\nseed phrase: «{M24}»\n",
            "[INFO] mnemonic=«{M24}»\n",
        ],
    ),
    ("seed phrase with commas", &["wallet words: «{C12}»\n"]),
    ("seed phrase on numbered lines", &["Write these down:\n⟦«{L12}»⟧\nThen go on.\n"]),
    ("wireguard private key", &["[Interface]\nPrivateKey = «{b43}=»\nAddress = 10.0.0.2/32\n"]),
    (
        "wireguard preshared key",
        &["[Peer]\nPublicKey = {b43}=\nPresharedKey = «{b43}=»\nAllowedIPs = 0.0.0.0/0\n"],
    ),
    (
        "openvpn static key",
        &[
            "<tls-auth>\n⟦-----BEGIN OpenVPN Static key V1-----\n«{h32}»\n«{h32}»\n«{h32}»\n-----END OpenVPN Static key V1-----⟧\n</tls-auth>\n",
        ],
    ),
    (
        "minisign secret key",
        &["untrusted comment: minisign encrypted secret key\n«RWRTY0Iy{b204}»\n"],
    ),
    (
        "age identity",
        &["# created: 2026-11-15T17:45:00Z\n# public key: age1{q58}\n«AGE-SECRET-KEY-1{g58}»\n"],
    ),
    (
        "dnssec key",
        &["Private-key-format: v1.3\nAlgorithm: 13 (ECDSAP256SHA256)\nPrivateKey: «{b43}=»\n"],
    ),
    ("tsig key", &["key \"ddns\" {\n  algorithm hmac-sha256;\n  secret \"«{b43}=»\";\n};\n"]),
];
