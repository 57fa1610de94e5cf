//! Every row finds its case and spares the other. Keys are drawn when the test runs, so that none stands in the source.

use super::*;
use proptest::prelude::*;

const DRAWS: u64 = 8;

/// Puts drawn characters for `{h32}`: `h` hexadecimal, `U` upper and digits, `A` letters and digits, `a` lower letters
/// and digits, `D` digits, `g` a UUID.
pub(super) fn draw(template: &str, seed: u64) -> String {
    let mut state = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0x1234_5678_9abc_def1);
    let mut next = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % bound
    };
    let mut out = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let close = open + rest[open..].find('}').unwrap();
        let inside = &rest[open + 1..close];
        let kind = inside.chars().next().unwrap_or(' ');
        let number = inside.get(1..).unwrap_or("");
        let letters: &[u8] = match kind {
            'h' => b"0123456789abcdef",
            'U' => b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
            'A' => b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            'a' => b"0123456789abcdefghijklmnopqrstuvwxyz",
            'D' => b"0123456789",
            'g' if number.is_empty() => b"0123456789abcdef",
            _ => b"",
        };
        if kind == 'g' && number.is_empty() {
            for (index, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
                if index > 0 {
                    out.push('-');
                }
                out.extend((0..length).map(|_| char::from(letters[next(16)])));
            }
        } else if let (false, Ok(length)) = (letters.is_empty(), number.parse::<usize>()) {
            let drawn: String = (0..length)
                .map(|_| char::from(letters[next(letters.len())]))
                .collect();
            // A drawn password holds a digit and a letter, as its makers demand.
            out.push_str(&drawn);
            if length >= 4 && kind != 'D' && !drawn.bytes().any(|b| b.is_ascii_digit()) {
                out.pop();
                out.push('7');
            }
        } else {
            out.push_str(&rest[open..=close]);
        }
        rest = &rest[close + 1..];
    }
    out.push_str(rest);
    out
}

/// Returns what is wrong with the scan of a template, nothing when all is well.
fn fault(template: &str, secret: bool) -> Option<String> {
    for seed in 1..=DRAWS {
        let text = draw(template, seed);
        let found = all(&text);
        let (redacted, _) = redact(&text);
        if found.is_empty() == secret {
            return Some(format!("{template}: {text:?} {found:?}"));
        }
        if redact(&redacted) != (redacted.clone(), 0) || contains(&redacted) != secret {
            return Some(format!("{template}: {redacted:?} is not stable"));
        }
        // No six characters of what was drawn are left.
        if let Some(piece) = drawn_pieces(template, seed)
            .into_iter()
            .find(|piece| redacted.contains(piece.as_str()))
            .filter(|_| secret)
        {
            return Some(format!(
                "{template}: {text:?} leaves {piece:?} in {redacted:?}"
            ));
        }
    }
    None
}

fn check(hits: &[&str], misses: &[&str]) {
    let hits = hits.iter().filter_map(|template| fault(template, true));
    let misses = misses.iter().filter_map(|template| fault(template, false));
    let faults: Vec<String> = hits.chain(misses).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns what was drawn, in pieces of six characters.
fn drawn_pieces(template: &str, seed: u64) -> Vec<String> {
    let text = draw(template, seed);
    let parts: Vec<&str> = template.split(['{', '}']).step_by(2).collect();
    let mut rest = text.as_str();
    let mut pieces = Vec::new();
    for pair in parts.windows(2) {
        rest = rest.strip_prefix(pair[0]).unwrap_or(rest);
        let end = if pair[1].is_empty() {
            rest.len()
        } else {
            rest.find(pair[1]).unwrap_or(rest.len())
        };
        let drawn: Vec<char> = rest[..end].chars().collect();
        pieces.extend(drawn.chunks_exact(6).map(|piece| piece.iter().collect()));
        rest = &rest[end..];
    }
    pieces
}

#[test]
fn every_vendor_row_finds_its_key_and_spares_its_name() {
    for row in vendor::ROWS {
        let said = format!("部署用的是 {}，别提交", row.hit);
        check(&[row.hit, &said], &[row.miss]);
    }
}

#[test]
fn every_carrier_row_finds_its_case_and_spares_the_other() {
    for row in carrier::ROWS {
        check(&[row.hit], &[row.miss]);
    }
}

#[test]
fn every_named_row_finds_its_case_and_spares_the_other() {
    let hits: Vec<&str> = name::ROWS.iter().map(|row| row.hit).collect();
    let misses: Vec<&str> = name::ROWS.iter().map(|row| row.miss).collect();
    check(&hits, &misses);
}

#[test]
fn a_key_is_found_whole_however_it_is_broken() {
    check(
        &[
            "sk-{h20}\n{h12}",
            "sk-{A24}\n  {A24}",
            "API_KEY = \"sk-{A20}\" +\n  \"{A20}\"",
            "sk-{A8} {A8} {A8} {A8}",
            "ghp_{A18}\u{200b}{A18}",
            "ｓｋ－{h32}",
            "{h32}.{A16}",
            "{h32}.\n{A16}",
            "{h20}\n{h12}.{A16}",
            "key：{h32}.{A16}",
            "「{h32}.{A16}」",
            "Zhipu 用 {h32}.{A16} 这个",
            "export OPENAI_API_KEY=\\\n{A32}",
            "密码：\n{A10}",
            "token:\n  {A24}",
            "\"password\": \"{A10}\"",
            "password={A10}&user=shop",
            "{A10} is the admin password",
            "用 {A12} 作为数据库密码",
            "the staging db password (do not share) is {A12}",
            "the password for the staging db is {A12}",
            "密码我设的是 {A12}",
            "密码统一用 {A10}。",
            "口令 {A10}",
            "账号 admin，密码 {A10}",
            "账号/密码：admin/{A10}",
            "user: admin / pass: {A10}",
            "mysql -uroot -p{A10} shop",
            "mysql -u root --password={A10}",
            "psql \"host=db user=shop password={A10}\"",
            "<password>{A10}</password>",
            "docker login -u shop -p {A12}",
            "Server=db;User Id=sa;Password={A10};",
            "{A40}",
            "{a32}",
            "{h32}",
            "key = '{h32}'",
            "ARK_API_KEY={g}",
            "api_key: {g}",
            "secretId: AKID{A32}, secretKey: {A32}",
            "{D10}:AA{A33}",
            "db.internal:5432:shop:shop:{A12}",
            "| 密码 | {A10} |",
            "AccountName=shop;AccountKey={A86}==;",
            "X-Api-Key: {A32}",
            "Cookie: session={A32}; path=/",
            "//registry.example/:_authToken={A36}",
            "SHOP_SECRET={a12}",
            "password: hunter{D2}",
            "用户名 root 密码 tiger{D1}",
            "账号密码是 admin / shop{D4}",
            "账号密码：admin {D6}",
            "数据库 root/{D6}",
            "user: admin, password: admin{D3}",
            "password is {D6}",
            "密码都是{D6}",
            "我的密码 {D6}a",
            "AK 是 {A24}，SK 是 {A32}",
            "这是我的 key：{A32}",
            "token={A12}",
            "apikey 我填的是 {A32}",
            "登录用 {A8}! 这个密码",
            "DATABASE_URL=mysql://root:{A10}@127.0.0.1:3306/shop",
            "redis://:{A12}@cache:6379/0",
            "amqp://shop:{A12}@mq:5672/%2F",
            "https://oauth2:{A20}@gitlab.example/shop.git",
            "https://{A40}@github.com/shop/cart.git",
            "spring.datasource.password={A10}",
            "requirepass {A16}",
            "IDENTIFIED BY '{A10}'",
            "ALTER USER shop WITH PASSWORD '{A10}';",
            "echo {A12} | sudo -S apt update",
            "curl -H 'Authorization: Bearer {A32}' https://host",
            "headers: \"X-Token\": \"{A32}\"",
            "const secret = '{A24}';",
            "set api key to {A32}",
        ],
        &[],
    );
}

#[test]
fn a_value_tied_by_words_of_prose_is_found() {
    check(
        &[
            "The password is always {A10}.",
            "The staging password is always {A10}, never change it.",
            "The admin password must always be {A10}.",
            "the db password should still be {A8}",
            "The root password will remain {A10}.",
            "the password, as ever, is {A12}.",
            "The password's always {A10}.",
            "Always use the password {A10} on staging.",
            "log on with the password tiger{D2} please",
            "Never change the root password from {A10}.",
            "never change the password for staging from {A12}",
            "Keep the password set to {A10}.",
            "always reset the admin password back to {A10}",
            "the password for the admin user must always be {A10}",
            "The credentials for staging are always bob and {A10}.",
            "staging creds are still bob / {A10}",
            "From now on the admin password is correct-horse-battery.",
            "The passphrase is always \"purple monkey dishwasher\".",
            "the passphrase must always be purple monkey dishwasher on staging",
            "口令永远是「芝麻开门芝麻」",
            "My passcode is always {D6}.",
            "enter the passcode {D6} at the door",
            "my phone pin is still {D4}",
            "always use PIN 4{D4}# for the gate",
            "以后门禁 PIN 一律是 {D6}。",
            "手机 PIN 码永远是 {D6}",
            "密码一直都得是 {D6}",
            "密码必须一律是 {A10}",
            "口令现在仍然用 {A10}",
            "always use the app password abcd efgh ijkl mnop for mail.",
            "应用密码一律是 abcd efgh ijkl mnop",
            "{A10} must always be the root password.",
            "the password of the test account must stay {A10}",
            "服务器密码从来都是 {A10}",
            "密码不要改，一直是 {A10}",
            "门禁卡密码一律 {D6}",
            "the alarm PIN must never change from {D4}",
            "never change the passcode from {D6}",
            "the password to use is always {A10}",
            "the root password should never be anything but {A12}.",
            "the password is, and always will be, {A10}.",
            "my password: always {A10}",
            "the password never changes: {A10}",
            "the password continues to be {A10}.",
            "always use the passphrase purple monkey dishwasher.",
            "{A12} 一律作为数据库密码",
            "the API token is always {A24}",
            "the deploy token must never be {A24}",
        ],
        &[
            "the password field must always be hidden",
            "the password must always be at least 12 characters",
            "the password must always be 4096 bytes or less",
            "the token is always refreshed every hour",
            "the password is always kept secret",
            "the passphrase must always be typed by hand",
            "the passphrase is never written down anywhere",
            "the password is always read from SHOP_PW2",
            "always read the password from config2.yaml",
            "the password must always be end-to-end-encrypted",
            "the password must never be \"admin\"",
            "passwords are always hashed with argon2id",
            "use the password manager for all of them",
            "password must also have some kind of mark",
            "the password reset link is always valid for 3600 seconds",
            "密码一律加密存储",
            "密码一律用 bcrypt 加密",
            "密码必须一律是 12 位以上",
            "PIN 必须是 6 位数字",
            "口令永远不要写进仓库",
            "always pin the image to 20240101",
            "always pin 20240101 of the image",
            "the exit code is always 1001",
            "the token for commit {h40} is always revoked",
            "the credentials are always base64 and gzip2",
            "登录都用 SSO",
            "登录接口都用 auth/login",
            "the password is always <password>",
            "the password must always be ${SHOP_PASSWORD2}",
            "从不更改密码",
            "`tokens` is `o200k_base`'s count of the text",
            "kind: token::LitKind::Str,",
            "the tokens of a header may be RFC2047 encoded",
            "isOpenToken, isEndOfFileToken, isTokenAtEnd",
            "always use OAuth2 for the password flow",
            "the password is always utf8mb4",
            "always hash the password with PBKDF2",
        ],
    );
}

#[test]
fn what_only_looks_like_a_secret_is_spared() {
    check(
        &[],
        &[
            "线上回滚固定到提交 {h40}，不要再往前。",
            "revert {h7} and {h12}",
            "登录页的密码框禁止自动填充。",
            "示例里的 key 统一写 `YOUR_KEY_HERE`。",
            "校验和用 sha256，不要用 md5。",
            "sha256:{h64}",
            "md5: {h32}",
            "checksum = \"{h64}\"",
            "\"integrity\": \"sha512-{A86}==\"",
            "h1:{A43}=",
            "id: {g}",
            "请求 {g} 超时",
            "API_KEY=<token>",
            "API_KEY=${SHOP_API_KEY}",
            "API_KEY=xxxxxxxxxxxxxxxx",
            "password: ********",
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer <token>",
            "读取 OPENAI_API_KEY 和 DEEPSEEK_API_KEY",
            "key 从环境变量 SHOP_API_KEY_V2 读取",
            "postgres://${DB_USER}:${DB_PASS}@db/shop",
            "https://docs.example.com/guides/authentication/tokens/v2/rotation-policy.html",
            "git@github.com:shop/cart.git",
            "/usr/local/lib/node_modules/@scope/package/dist/index.js",
            "密码至少 12 位，包含数字",
            "密码长度为 12 位",
            "密码是必填项",
            "密码用 bcrypt 加密存储",
            "密码为 string 类型",
            "the password must be at least 12 characters",
            "password: string",
            "password: required",
            "token: str | None = None",
            "the token is stored in the keychain",
            "token 有效期 3600 秒",
            "max_tokens=4096",
            "token = response.json()[\"token\"]",
            "password = getpass.getpass()",
            "const apiKey = process.env.OPENAI_API_KEY",
            "api_key=settings.openai_api_key",
            "primary_key=user_id_2024",
            "the key is user:profile:v2",
            "useKeyboardShortcutsProviderV2",
            "getUserAuthenticationTokenFromLocalStorage2",
            "react-native-gesture-handler@2.14.1",
            "pnpm 版本固定 9.15.4，node 用 22.19",
            "client_secret 和 token 都放 Vault",
            "reset password 流程不动",
            "不要把 token 打到日志里",
            "secrets.DEPLOY_TOKEN 已配置",
            "password123 这类弱口令要拦",
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{A43} me@host",
            "端口 8000，超时 30s",
            "gpg --recv-keys {h40}",
            "快捷键 key: Ctrl+Shift+Alt+F12",
            "ed25519.Ed25519PrivateKey",
            "'@shop/credentials': ^0.1.0-rc.8",
            "proxy_auth = base64.b64encode(proxy_passwd.encode()).decode('ascii')",
            "the token is base64url encoded",
            "SHOP_API_KEY: 'loopback'",
            "ShopPackage_Darwin_arm64.tar.gz",
            "修改密码 API 要求旧密码",
            "密码是 2024 年改的",
            "密码和 token 一律走环境变量",
            "admin/users 页面分页 50 条",
            "root/index.html",
            "forgot password: send a mail",
            "Password: {D0}",
            "key 冲突时报 409",
            "按 key 排序，page_token=next",
            "pass: 128, fail: 0",
            "bypass: cache2go",
        ],
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_scanned_and_removal_is_stable(text in prop_oneof![
        ".{0,200}",
        "([A-Za-z0-9_./+=:@-]{0,40}[ \n\"',：=是]{0,3}){0,8}",
        "((password|密码|token|key|sk-|://|Bearer |eyJ|-----BEGIN |pass:|root/|AKIA)[ -~：是\n]{0,30}){0,6}",
    ]) {
        let found = spans(&text);
        let mut end = 0;
        for span in &found {
            prop_assert!(span.start >= end && span.end > span.start && span.end <= text.len());
            prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
            end = span.end;
        }
        let (redacted, n_secrets) = redact(&text);
        prop_assert_eq!(n_secrets > 0, !found.is_empty());
        prop_assert_eq!(redact(&redacted), (redacted.clone(), 0));
    }
}
