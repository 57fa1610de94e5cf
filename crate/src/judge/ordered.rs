//! JSON in the order it is written: option order can matter to a model, and a request must come out the same each time.

use std::fmt::Write;

/// Writes `text` as a JSON string.
pub fn string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // Writing to a string cannot fail.
            c if (c as u32) < 0x20 => drop(write!(out, "\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// An object or a list that is being written.
pub struct Writer<'a> {
    out: &'a mut String,
    is_empty: bool,
    close: char,
}

impl<'a> Writer<'a> {
    /// Begins an object.
    pub fn object(out: &'a mut String) -> Self {
        out.push('{');
        Self {
            out,
            is_empty: true,
            close: '}',
        }
    }

    /// Begins a list.
    pub fn list(out: &'a mut String) -> Self {
        out.push('[');
        Self {
            out,
            is_empty: true,
            close: ']',
        }
    }

    /// Writes `name` and hands out the place for its value.
    pub fn field(&mut self, name: &str) -> &mut String {
        self.item();
        string(self.out, name);
        self.out.push(':');
        self.out
    }

    /// Writes a field that is a text.
    pub fn text(&mut self, name: &str, value: &str) {
        string(self.field(name), value);
    }

    /// Hands out the place for the next item of a list.
    pub fn item(&mut self) -> &mut String {
        if !std::mem::take(&mut self.is_empty) {
            self.out.push(',');
        }
        self.out
    }

    /// Ends it.
    pub fn end(self) {
        self.out.push(self.close);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_in_the_order_they_were_written_and_read_back() {
        let mut out = String::new();
        let mut object = Writer::object(&mut out);
        object.text("z", "a \"quoted\" \\ line\n\u{1}端口");
        let mut list = Writer::list(object.field("a"));
        string(list.item(), "1");
        list.item().push('2');
        list.end();
        object.end();
        let value: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(value["z"], "a \"quoted\" \\ line\n\u{1}端口");
        assert_eq!(value["a"], serde_json::json!(["1", 2]));
        assert!(out.starts_with(r#"{"z""#));
    }
}
