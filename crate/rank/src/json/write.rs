//! The writer: the bytes `serde_json` gives, field by field.

use std::io::Write;

/// One object on its way into `out`.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    is_begun: bool,
}

impl<'a> Writer<'a> {
    /// Opens an object.
    pub fn object(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self {
            out,
            is_begun: false,
        }
    }

    /// Goes on in an object that stands open at the end of `out` and has a field already.
    pub fn within(out: &'a mut Vec<u8>) -> Self {
        Self {
            out,
            is_begun: true,
        }
    }

    /// Appends a quoted string that is no field.
    pub fn quoted(out: &mut Vec<u8>, text: &str) {
        string(out, text);
    }

    /// Closes the object.
    pub fn end(self) {
        self.out.push(b'}');
    }

    /// Writes a field's name, and returns where its value goes.
    pub fn name(&mut self, name: &str) -> &mut Vec<u8> {
        if std::mem::replace(&mut self.is_begun, true) {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out
    }

    pub fn text(&mut self, name: &str, value: &str) -> &mut Self {
        string(self.name(name), value);
        self
    }

    pub fn text_if(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value {
            self.text(name, value);
        }
        self
    }

    pub fn whole(&mut self, name: &str, value: u64) -> &mut Self {
        let out = self.name(name);
        // Writing to memory does not fail.
        let _ = write!(out, "{value}");
        self
    }

    pub fn whole_if(&mut self, name: &str, value: Option<u64>) -> &mut Self {
        if let Some(value) = value {
            self.whole(name, value);
        }
        self
    }

    pub fn signed(&mut self, name: &str, value: i64) -> &mut Self {
        let out = self.name(name);
        let _ = write!(out, "{value}");
        self
    }

    pub fn signed_if(&mut self, name: &str, value: Option<i64>) -> &mut Self {
        if let Some(value) = value {
            self.signed(name, value);
        }
        self
    }

    /// Writes a number in its shortest form that reads back as the same; `null` when it is not finite.
    pub fn number(&mut self, name: &str, value: f64) -> &mut Self {
        let out = self.name(name);
        let length = out.len();
        if serde_json::to_writer(&mut *out, &value).is_err() {
            out.truncate(length);
            out.extend_from_slice(b"null");
        }
        self
    }

    pub fn flag(&mut self, name: &str, value: bool) -> &mut Self {
        let word: &[u8] = if value { b"true" } else { b"false" };
        self.name(name).extend_from_slice(word);
        self
    }

    /// Writes a list whose items `write` gives.
    pub fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Vec<u8>, T),
    ) -> &mut Self {
        let out = self.name(name);
        out.push(b'[');
        for (number, item) in items.into_iter().enumerate() {
            if number > 0 {
                out.push(b',');
            }
            write(out, item);
        }
        out.push(b']');
        self
    }

    /// Writes a list of strings.
    pub fn texts<'t>(&mut self, name: &str, items: impl IntoIterator<Item = &'t str>) -> &mut Self {
        self.list(name, items, string)
    }

    /// Writes a list of strings unless there are none.
    pub fn texts_if<'t>(
        &mut self,
        name: &str,
        items: impl ExactSizeIterator<Item = &'t str>,
    ) -> &mut Self {
        if items.len() > 0 {
            self.texts(name, items);
        }
        self
    }
}

/// Appends a quoted string.
pub(super) fn string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = rest
        .iter()
        .position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\')
    {
        let (plain, from) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        let Some((&byte, after)) = from.split_first() else {
            break;
        };
        rest = after;
        let short = match byte {
            b'"' | b'\\' => byte,
            0x8 => b'b',
            0x9 => b't',
            b'\n' => b'n',
            0xc => b'f',
            b'\r' => b'r',
            _ => {
                let _ = write!(out, "\\u{byte:04x}");
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}
