//! Passwords, keys, tokens and pins as people say them in twelve other languages.

use super::Form;

pub(super) const LANGUAGES: &[Form] = &[
    (
        "password in German",
        &[
            "das Passwort ist «{p12}»\n",
            "Das Kennwort lautet «{a12}».\n",
            "Passwort: «{p12}»\n",
            "mein Passwort für die Datenbank ist «{K1}»\n",
            "das DB-Passwort heißt «{a12}»\n",
        ],
    ),
    (
        "password to use in German",
        &[
            "Nimm «{a12}» als Passwort.\n",
            "benutze «{p12}» als Kennwort\n",
            "melde dich mit marta:«{a12}» an\n",
            "Anmeldung: marta / «{p12}»\n",
            "ich habe das Passwort auf «{a12}» geändert\n",
        ],
    ),
    (
        "key, token or pin in German",
        &[
            "der Schlüssel ist «{a32}»\n",
            "der API-Schlüssel lautet «{a40}»\n",
            "das Token ist «{w43}»\n",
            "meine PIN ist «{n6}»\n",
            "Geheimnis: «{a32}»\n",
        ],
    ),
    (
        "password in French",
        &[
            "le mot de passe est «{p12}»\n",
            "Mot de passe : «{a12}»\n",
            "mon mot de passe est «{K1}»\n",
            "le mdp de la base est «{a12}»\n",
            "mdp: «{a12}»\n",
        ],
    ),
    (
        "password to use in French",
        &[
            "utilise «{a12}» comme mot de passe\n",
            "Connecte-toi avec marta:«{a12}»\n",
            "identifiant marta, mot de passe «{p12}»\n",
            "j'ai changé le mot de passe en «{a12}»\n",
        ],
    ),
    (
        "key, token or pin in French",
        &[
            "la clé est «{a32}»\n",
            "la clé API est «{a40}»\n",
            "le jeton est «{w43}»\n",
            "mon code PIN est «{n6}»\n",
            "clé secrète : «{a32}»\n",
        ],
    ),
    (
        "password in Spanish",
        &[
            "la contraseña es «{p12}»\n",
            "Contraseña: «{a12}»\n",
            "mi contraseña es «{K1}»\n",
            "la clave de la base de datos es «{a12}»\n",
            "la contraseña del servidor es `«{p12}»`\n",
        ],
    ),
    (
        "password to use in Spanish",
        &[
            "usa «{a12}» como contraseña\n",
            "entra con marta:«{a12}»\n",
            "usuario marta, contraseña «{p12}»\n",
            "cambié la contraseña a «{a12}»\n",
        ],
    ),
    (
        "key, token or pin in Spanish",
        &[
            "la clave es «{a32}»\n",
            "la clave de API es «{a40}»\n",
            "el token es «{w43}»\n",
            "mi PIN es «{n6}»\n",
            "clave secreta: «{a32}»\n",
        ],
    ),
    (
        "password in Portuguese",
        &[
            "a senha é «{p12}»\n",
            "Senha: «{a12}»\n",
            "minha senha é «{K1}»\n",
            "a palavra-passe é «{a12}»\n",
            "a senha do banco é «{a12}»\n",
        ],
    ),
    (
        "password to use in Portuguese",
        &[
            "use «{a12}» como senha\n",
            "entre com marta:«{a12}»\n",
            "usuário marta, senha «{p12}»\n",
            "mudei a senha para «{a12}»\n",
        ],
    ),
    (
        "key, token or pin in Portuguese",
        &[
            "a chave é «{a32}»\n",
            "a chave de API é «{a40}»\n",
            "o token é «{w43}»\n",
            "meu PIN é «{n6}»\n",
            "chave secreta: «{a32}»\n",
        ],
    ),
    (
        "password in Italian",
        &[
            "la password è «{p12}»\n",
            "Password: «{a12}»\n",
            "la mia password è «{K1}»\n",
            "la parola d'ordine è «{a12}»\n",
            "la password del database è «{a12}»\n",
        ],
    ),
    (
        "password to use in Italian",
        &[
            "usa «{a12}» come password\n",
            "accedi con marta:«{a12}»\n",
            "utente marta, password «{p12}»\n",
            "ho cambiato la password in «{a12}»\n",
        ],
    ),
    (
        "key, token or pin in Italian",
        &[
            "la chiave è «{a32}»\n",
            "la chiave API è «{a40}»\n",
            "il token è «{w43}»\n",
            "il mio PIN è «{n6}»\n",
            "chiave segreta: «{a32}»\n",
        ],
    ),
    (
        "password in Dutch",
        &[
            "het wachtwoord is «{p12}»\n",
            "Wachtwoord: «{a12}»\n",
            "mijn wachtwoord is «{K1}»\n",
            "het db-wachtwoord is «{a12}»\n",
        ],
    ),
    (
        "password to use in Dutch",
        &[
            "gebruik «{a12}» als wachtwoord\n",
            "log in met marta:«{a12}»\n",
            "gebruiker marta, wachtwoord «{p12}»\n",
            "ik heb het wachtwoord veranderd in «{a12}»\n",
        ],
    ),
    (
        "key, token or pin in Dutch",
        &[
            "de sleutel is «{a32}»\n",
            "de API-sleutel is «{a40}»\n",
            "het token is «{w43}»\n",
            "mijn pincode is «{n6}»\n",
        ],
    ),
    (
        "password in Polish",
        &[
            "hasło to «{p12}»\n",
            "Hasło: «{a12}»\n",
            "moje hasło to «{K1}»\n",
            "hasło do bazy to «{a12}»\n",
        ],
    ),
    (
        "password to use in Polish",
        &[
            "użyj «{a12}» jako hasła\n",
            "zaloguj się jako marta:«{a12}»\n",
            "użytkownik marta, hasło «{p12}»\n",
            "zmieniłem hasło na «{a12}»\n",
        ],
    ),
    (
        "key, token or pin in Polish",
        &[
            "klucz to «{a32}»\n",
            "klucz API to «{a40}»\n",
            "token to «{w43}»\n",
            "mój PIN to «{n6}»\n",
        ],
    ),
    (
        "password in Russian",
        &[
            "пароль «{p12}»\n",
            "Пароль: «{a12}»\n",
            "мой пароль — «{K1}»\n",
            "пароль от базы: «{a12}»\n",
            "пароль это «{a12}»\n",
        ],
    ),
    (
        "password to use in Russian",
        &[
            "используй «{a12}» как пароль\n",
            "войди как marta:«{a12}»\n",
            "логин marta, пароль «{p12}»\n",
            "я сменил пароль на «{a12}»\n",
        ],
    ),
    (
        "key, token or pin in Russian",
        &[
            "ключ: «{a32}»\n",
            "ключ API — «{a40}»\n",
            "токен «{w43}»\n",
            "мой пин-код «{n6}»\n",
            "секретный ключ: «{a32}»\n",
        ],
    ),
    (
        "password in Turkish",
        &[
            "şifre «{p12}»\n",
            "Şifre: «{a12}»\n",
            "şifrem «{K1}»\n",
            "veritabanı parolası «{a12}»\n",
            "parola: «{a12}»\n",
        ],
    ),
    (
        "password to use in Turkish",
        &[
            "şifre olarak «{a12}» kullan\n",
            "marta:«{a12}» ile giriş yap\n",
            "kullanıcı marta, şifre «{p12}»\n",
            "şifreyi «{a12}» olarak değiştirdim\n",
        ],
    ),
    (
        "key, token or pin in Turkish",
        &["anahtar: «{a32}»\n", "API anahtarı «{a40}»\n", "token: «{w43}»\n", "PIN kodum «{n6}»\n"],
    ),
    (
        "password in Chinese",
        &[
            "密码是 «{p12}»\n",
            "密码:«{a12}»\n",
            "数据库密码是«{a12}»。\n",
            "我的密码是 «{K1}»，别忘了\n",
            "密碼是 «{a12}»\n",
            "口令：«{a12}»\n",
        ],
    ),
    (
        "password to use in Chinese",
        &[
            "用 «{a12}» 作为密码\n",
            "使用 marta:«{a12}» 登录\n",
            "用户名 marta，密码 «{p12}»\n",
            "我把密码改成了 «{a12}»\n",
        ],
    ),
    (
        "key, token or pin in Chinese",
        &["密钥是 «{a32}»\n", "API 密钥：«{a40}»\n", "令牌是 «{w43}»\n", "我的PIN码是 «{n6}»\n"],
    ),
    (
        "password in Japanese",
        &[
            "パスワードは «{p12}» です\n",
            "パスワード: «{a12}»\n",
            "DBのパスワードは«{a12}»です。\n",
            "パスワードは「«{K1}»」です\n",
        ],
    ),
    (
        "password to use in Japanese",
        &[
            "パスワードには «{a12}» を使ってください\n",
            "marta:«{a12}» でログインしてください\n",
            "ユーザー marta、パスワード «{p12}»\n",
            "パスワードを «{a12}» に変更しました\n",
        ],
    ),
    (
        "key, token or pin in Japanese",
        &[
            "キーは «{a32}» です\n",
            "APIキーは «{a40}» です\n",
            "トークンは «{w43}» です\n",
            "暗証番号は «{n6}» です\n",
            "秘密鍵: «{a32}»\n",
        ],
    ),
    (
        "password in Korean",
        &[
            "비밀번호는 «{p12}» 입니다\n",
            "비밀번호: «{a12}»\n",
            "DB 비밀번호는 «{a12}»야\n",
            "제 암호는 «{K1}»입니다\n",
        ],
    ),
    (
        "password to use in Korean",
        &[
            "비밀번호로 «{a12}» 를 사용하세요\n",
            "marta:«{a12}» 로 로그인하세요\n",
            "사용자 marta, 비밀번호 «{p12}»\n",
            "비밀번호를 «{a12}»로 바꿨어요\n",
        ],
    ),
    (
        "key, token or pin in Korean",
        &[
            "키는 «{a32}» 입니다\n",
            "API 키는 «{a40}» 입니다\n",
            "토큰은 «{w43}» 입니다\n",
            "핀 번호는 «{n6}» 입니다\n",
        ],
    ),
];
