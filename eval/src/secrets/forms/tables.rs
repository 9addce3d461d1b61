//! Tables and CSV with a column that is named like a secret.

use super::Form;

pub(super) const TABLES: &[Form] = &[
    (
        "markdown table of passwords",
        &[
            "| user | password |\n|---|---|\n| ana | «{p12}» |\n| ben | «{a12}» |\n",
            "| Host | User | Password |\n| :--- | :--- | :--- |\n| db1 | app | `«{a14}»` |\n| db2 | app | `«{a14}»` |\n",
            "| User | Pass | Role |\n|------|------|------|\n| ana  | «{K1}» | admin |\n",
        ],
    ),
    (
        "markdown table of tokens",
        &[
            "| service | token | owner |\n|---|---|---|\n| billing | «{a40}» | ana |\n| search | «{w43}» | ben |\n",
            "| env | api key |\n|---|---|\n| prod | «{h40}» |\n",
        ],
    ),
    (
        "markdown table of secrets",
        &["| name | client id | client secret |\n|---|---|---|\n| app | web | «{w40}» |\n"],
    ),
    (
        "aligned table of passwords",
        &[
            "USER      PASSWORD          ROLE\nana       «{a12}»      admin\nben       «{a12}»      viewer\n",
            "Username  Password\n--------  --------\nana       «{p12}»\nben       «{p12}»\n",
            "NAME        API KEY                           CREATED\nbilling     «{a32}»  2026-11-01\n",
        ],
    ),
    (
        "psql table of passwords",
        &[
            " id | username | password\n----+----------+--------------\n  1 | ana      | «{a12}»\n  2 | ben      | «{a12}»\n(2 rows)\n",
            " email           |   api_token\n-----------------+------------------------------------------\n ana@example.org | «{a40}»\n(1 row)\n",
        ],
    ),
    ("psql expanded", &["-[ RECORD 1 ]------\nid       | 1\nusername | ana\npassword | «{a12}»\n"]),
    (
        "psql table of hashes",
        &[" username | passwd\n----------+--------\n ana      | «md5{h32}»\n(1 row)\n"],
    ),
    (
        "mysql table",
        &[
            "+----+------+--------------+\n| id | user | password     |\n+----+------+--------------+\n|  1 | ana  | «{a12}» |\n|  2 | ben  | «{a12}» |\n+----+------+--------------+\n",
            "+------+------------------------------------------+\n| name | secret_key                               |\n+------+------------------------------------------+\n| app  | «{a40}» |\n+------+------------------------------------------+\n",
        ],
    ),
    (
        "mysql vertical",
        &[
            "*************************** 1. row ***************************\n      id: 1\nusername: ana\npassword: «{a12}»\n",
        ],
    ),
    (
        "box table",
        &[
            "┌──────┬──────────────┐\n│ user │ password     │\n├──────┼──────────────┤\n│ ana  │ «{a12}» │\n└──────┴──────────────┘\n",
        ],
    ),
    ("sqlite list", &["id|user|password\n1|ana|«{a12}»\n2|ben|«{a12}»\n"]),
    (
        "csv with passwords",
        &[
            "username,password,email\nana,«{a12}»,ana@example.org\nben,«{a12}»,ben@example.org\n",
            "name,url,username,password\napp,https://app.local,dev,«{K1}»\n",
            "id,email,password\n1,ana@example.org,\"«{p12}»\"\n",
        ],
    ),
    (
        "csv with tokens",
        &[
            "service,token\nbilling,«{w43}»\nsearch,«{w43}»\n",
            "\"name\",\"api_key\"\n\"app\",\"«{a32}»\"\n",
        ],
    ),
    ("csv with semicolons", &["user;passwort;rolle\nana;«{a12}»;admin\nben;«{a12}»;gast\n"]),
    ("tsv with passwords", &["user\tpassword\trole\nana\t«{a12}»\tadmin\nben\t«{a12}»\tviewer\n"]),
    (
        "html table",
        &[
            "<table><tr><th>User</th><th>Password</th></tr><tr><td>ana</td><td>«{a12}»</td></tr></table>\n",
        ],
    ),
    (
        "table in restructured text",
        &[
            "====  ============\nuser  password\n====  ============\nana   «{a12}»\n====  ============\n",
        ],
    ),
    (
        "json rows",
        &[
            "{\"columns\": [\"user\", \"password\"], \"rows\": [[\"ana\", \"«{a12}»\"], [\"ben\", \"«{a12}»\"]]}\n",
        ],
    ),
    (
        "insert statement",
        &[
            "INSERT INTO users (name, password) VALUES ('ana', '«{a12}»');\n",
            "INSERT INTO api_keys (id, secret) VALUES (1, '«{a40}»'), (2, '«{a40}»');\n",
        ],
    ),
    (
        "list of names and passwords",
        &[
            "logins (user / password):\nana / «{K1}»\n",
            "Credentials:\n- admin:«{p12}»\n- viewer:«{p12}»\n",
            "Username: admin\nPassword: «{p12}»\n",
            "user: admin pass: «{a12}»\n",
            "admin pw: «{a12}»\n",
        ],
    ),
];
