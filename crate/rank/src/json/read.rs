//! The cursor.

use super::Names;
use std::borrow::Cow;
use std::rc::Rc;

/// Values nested deeper than this are refused, as `serde_json` does.
const DEPTH_MAX: u32 = 128;

/// What a text was expected to hold and does not: a field's name, or a kind of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is missing or of another kind")]
pub struct Malformed(pub &'static str);

type Result<T> = std::result::Result<T, Malformed>;

/// A place in a JSON text. Every method reads one value or mark and stands behind it.
#[derive(Debug)]
pub struct Reader<'a, 'n> {
    text: &'a str,
    at: usize,
    names: &'n mut Names,
}

/// Where the reading of one object stands.
#[derive(Debug)]
pub struct Fields {
    names: &'static [&'static str],
    /// The field expected next: files are written in one order.
    next: usize,
    seen: u32,
    is_begun: bool,
}

impl Fields {
    /// Begins an object with these fields, at most 32, in the order in which they are most often written.
    pub fn of(names: &'static [&'static str]) -> Self {
        Self {
            names,
            next: 0,
            seen: 0,
            is_begun: false,
        }
    }

    /// Goes on with other fields inside the same object.
    pub fn then(names: &'static [&'static str]) -> Self {
        Self {
            is_begun: true,
            ..Self::of(names)
        }
    }
}

impl<'a, 'n> Reader<'a, 'n> {
    /// Returns a cursor at the beginning of `text`.
    pub fn new(text: &'a str, names: &'n mut Names) -> Self {
        Self { text, at: 0, names }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Returns the first byte of what comes next, white space passed over.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(byte) = self.byte() {
            if byte > b' ' {
                return Some(byte);
            }
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                break;
            }
            self.at += 1;
        }
        None
    }

    fn take(&mut self, mark: u8) -> bool {
        let is_there = self.peek() == Some(mark);
        self.at += usize::from(is_there);
        is_there
    }

    /// Passes over a mark, if it is what comes next; returns whether it is.
    pub fn mark(&mut self, mark: u8) -> bool {
        self.take(mark)
    }

    fn expect(&mut self, mark: u8, what: &'static str) -> Result<()> {
        self.take(mark).then_some(()).ok_or(Malformed(what))
    }

    /// Makes sure that nothing follows.
    pub fn end(&mut self) -> Result<()> {
        let rest = self.text.get(self.at..).unwrap_or("");
        let is_end = rest
            .bytes()
            .all(|byte| matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
        is_end.then_some(()).ok_or(Malformed("end"))
    }

    /// Returns the number of the next known field and stands before its value; `None` behind the object's end.
    ///
    /// Fields without a known name are passed over. A known one that stands twice is refused.
    pub fn field(&mut self, fields: &mut Fields) -> Result<Option<usize>> {
        loop {
            if fields.is_begun {
                if self.take(b'}') {
                    return Ok(None);
                }
                self.expect(b',', "object")?;
            } else {
                self.expect(b'{', "object")?;
                fields.is_begun = true;
                if self.take(b'}') {
                    return Ok(None);
                }
            }
            let found = match self.expected(fields) {
                Some(found) => found,
                None => {
                    let name = self.text()?;
                    self.expect(b':', "object")?;
                    match fields.names.iter().position(|known| *known == name) {
                        Some(found) => found,
                        None => {
                            self.skip()?;
                            continue;
                        }
                    }
                }
            };
            let bit = 1u32 << (found & 31);
            if fields.seen & bit != 0 {
                return Err(Malformed(fields.names.get(found).copied().unwrap_or("")));
            }
            fields.seen |= bit;
            fields.next = found + 1;
            return Ok(Some(found));
        }
    }

    /// Reads the name of one of the fields to come, when it stands here as this build writes it: nearly always.
    fn expected(&mut self, fields: &Fields) -> Option<usize> {
        self.peek();
        let rest = self.text.as_bytes().get(self.at..)?.strip_prefix(b"\"")?;
        let ahead = fields.names.get(fields.next..)?;
        let (at, length) = ahead.iter().enumerate().find_map(|(at, name)| {
            let (mine, after) = rest.split_at_checked(name.len())?;
            (mine == name.as_bytes() && after.starts_with(b"\":")).then_some((at, name.len()))
        })?;
        self.at += length + 3;
        Some(fields.next + at)
    }

    /// Reads a list with `item`.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut out = Vec::new();
        self.expect(b'[', "list")?;
        if self.take(b']') {
            return Ok(out);
        }
        loop {
            out.push(item(self)?);
            if self.take(b']') {
                return Ok(out);
            }
            self.expect(b',', "list")?;
        }
    }

    /// Reads a string. It is copied only when something in it is escaped.
    pub fn text(&mut self) -> Result<Cow<'a, str>> {
        self.expect(b'"', "string")?;
        let begin = self.at;
        let end = begin + plain_length(self.text.as_bytes().get(begin..).unwrap_or_default());
        self.at = end;
        let plain = self.text.get(begin..end).ok_or(Malformed("string"))?;
        if self.byte() == Some(b'"') {
            self.at += 1;
            return Ok(Cow::Borrowed(plain));
        }
        self.escaped(plain.to_owned()).map(Cow::Owned)
    }

    /// Reads the rest of a string from its first escape on.
    fn escaped(&mut self, mut out: String) -> Result<String> {
        loop {
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    let c = self.escape()?;
                    out.push(c);
                }
                _ => return Err(Malformed("string")),
            }
            let begin = self.at;
            self.at += plain_length(self.text.as_bytes().get(begin..).unwrap_or_default());
            out.push_str(self.text.get(begin..self.at).unwrap_or(""));
        }
    }

    fn escape(&mut self) -> Result<char> {
        let byte = self.byte().ok_or(Malformed("string"))?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let first = self.four_digits()?;
                let code = if (0xd800..0xdc00).contains(&first) {
                    let is_pair = self.text.as_bytes().get(self.at..self.at + 2) == Some(b"\\u");
                    self.at += 2;
                    let second = if is_pair { self.four_digits()? } else { 0 };
                    if !(0xdc00..0xe000).contains(&second) {
                        return Err(Malformed("string"));
                    }
                    0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
                } else {
                    first
                };
                char::from_u32(code).ok_or(Malformed("string"))?
            }
            _ => return Err(Malformed("string")),
        })
    }

    fn four_digits(&mut self) -> Result<u32> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        self.at += 4;
        digits
            .unwrap_or_default()
            .iter()
            .try_fold((0, 0), |(code, n), byte| {
                Some((code << 4 | char::from(*byte).to_digit(16)?, n + 1))
            })
            .filter(|(_, n)| *n == 4)
            .map(|(code, _)| code)
            .ok_or(Malformed("string"))
    }

    /// Reads a string that other records are likely to hold, too.
    pub fn shared(&mut self) -> Result<Rc<str>> {
        let text = self.text()?;
        Ok(self.names.shared(&text))
    }

    /// Reads a string of its own.
    pub fn owned(&mut self) -> Result<String> {
        self.text().map(Cow::into_owned)
    }

    /// Reads a string that names one of a few things.
    pub fn one_of<T>(
        &mut self,
        what: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T> {
        let text = self.text()?;
        read(&text).ok_or(Malformed(what))
    }

    /// Reads a value that may be `null`.
    pub fn or_null<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        if self.peek() == Some(b'n') {
            self.word("null")?;
            return Ok(None);
        }
        read(self).map(Some)
    }

    fn word(&mut self, word: &'static str) -> Result<()> {
        let is_there = self
            .text
            .get(self.at..)
            .is_some_and(|x| x.starts_with(word));
        self.at += word.len();
        is_there.then_some(()).ok_or(Malformed(word))
    }

    /// Reads `true` or `false`.
    pub fn flag(&mut self) -> Result<bool> {
        let is_true = self.peek() == Some(b't');
        self.word(if is_true { "true" } else { "false" })?;
        Ok(is_true)
    }

    /// Reads a whole number without a sign.
    pub fn u64(&mut self) -> Result<u64> {
        let (number, n_digits) = self.digits();
        let leads = n_digits > 1 && self.text.as_bytes().get(self.at - n_digits) == Some(&b'0');
        match number {
            Some(number) if n_digits > 0 && !leads && !self.has_fraction() => Ok(number),
            _ => Err(Malformed("whole number")),
        }
    }

    /// Reads a whole number that fits into `T`.
    pub fn whole<T: TryFrom<u64>>(&mut self) -> Result<T> {
        T::try_from(self.u64()?).map_err(|_| Malformed("whole number"))
    }

    /// Reads a whole number that may be below 0.
    pub fn i64(&mut self) -> Result<i64> {
        let is_below = self.take(b'-');
        if is_below && !self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(Malformed("whole number"));
        }
        let number = self.u64()?;
        let signed = if is_below {
            0i64.checked_sub_unsigned(number)
        } else {
            i64::try_from(number).ok()
        };
        signed.ok_or(Malformed("whole number"))
    }

    /// Reads digits; `None` when they are too many for 64 bits.
    fn digits(&mut self) -> (Option<u64>, usize) {
        self.peek();
        let begin = self.at;
        let mut number = Some(0u64);
        while let Some(digit) = self.byte().filter(u8::is_ascii_digit) {
            number = number
                .and_then(|x| x.checked_mul(10))
                .and_then(|x| x.checked_add(u64::from(digit - b'0')));
            self.at += 1;
        }
        (number, self.at - begin)
    }

    fn has_fraction(&self) -> bool {
        matches!(self.byte(), Some(b'.' | b'e' | b'E'))
    }

    /// Reads any number, to the last bit.
    pub fn number(&mut self) -> Result<f64> {
        self.peek();
        let begin = self.at;
        self.skip_number()?;
        let text = self.text.get(begin..self.at).unwrap_or("");
        let number = short_decimal(text).or_else(|| text.parse().ok());
        number
            .filter(|x: &f64| x.is_finite())
            .ok_or(Malformed("number"))
    }

    fn skip_number(&mut self) -> Result<()> {
        let bad = Err(Malformed("number"));
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        let begin = self.at;
        let n_digits = self.run_of_digits();
        if n_digits == 0 || n_digits > 1 && self.text.as_bytes().get(begin) == Some(&b'0') {
            return bad;
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            if self.run_of_digits() == 0 {
                return bad;
            }
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.run_of_digits() == 0 {
                return bad;
            }
        }
        Ok(())
    }

    fn run_of_digits(&mut self) -> usize {
        let begin = self.at;
        while self.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - begin
    }

    /// Passes over one value.
    pub fn skip(&mut self) -> Result<()> {
        self.skip_at(DEPTH_MAX)
    }

    fn skip_at(&mut self, depth: u32) -> Result<()> {
        let Some(deeper) = depth.checked_sub(1) else {
            return Err(Malformed("depth"));
        };
        match self.peek() {
            Some(b'"') => self.text().map(|_| ()),
            Some(b'{') => {
                self.at += 1;
                if self.take(b'}') {
                    return Ok(());
                }
                loop {
                    self.peek();
                    self.text()?;
                    self.expect(b':', "object")?;
                    self.skip_at(deeper)?;
                    if self.take(b'}') {
                        return Ok(());
                    }
                    self.expect(b',', "object")?;
                }
            }
            Some(b'[') => {
                self.at += 1;
                if self.take(b']') {
                    return Ok(());
                }
                loop {
                    self.skip_at(deeper)?;
                    if self.take(b']') {
                        return Ok(());
                    }
                    self.expect(b',', "list")?;
                }
            }
            Some(b'n') => self.word("null"),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            _ => self.skip_number(),
        }
    }

    /// Passes over one value and returns it as it stands.
    pub fn raw(&mut self) -> Result<&'a str> {
        self.peek();
        let begin = self.at;
        self.skip()?;
        self.text.get(begin..self.at).ok_or(Malformed("value"))
    }

    /// Returns where the cursor stands, in bytes.
    pub fn place(&self) -> usize {
        self.at
    }
}

/// Returns the value of a decimal of at most fifteen digits: a quotient of two numbers that are exact, rounded once.
///
/// # Source
/// Clinger, "How to read floating point numbers accurately" (1990): up to 2⁵³ and 10²² both are exact in a double.
fn short_decimal(text: &str) -> Option<f64> {
    const TENS: [f64; 16] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ];
    if text.len() > 16 {
        return None;
    }
    let mut digits = 0u64;
    let mut n_fraction = None;
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => {
                digits = digits * 10 + u64::from(byte - b'0');
                n_fraction = n_fraction.map(|n: usize| n + 1);
            }
            b'.' => n_fraction = Some(0),
            _ => return None,
        }
    }
    if digits >= 1 << 53 {
        return None;
    }
    Some(digits as f64 / TENS.get(n_fraction.unwrap_or(0))?)
}

/// Returns how many bytes stand before the first quote mark, backslash or control character.
///
/// Eight at a time: the lowest mark found is never a false one, since a borrow only runs upward from a true one.
fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = ONES << 7;
    let (words, rest) = bytes.as_chunks::<8>();
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let (quote, slash) = (
            word ^ (ONES * u64::from(b'"')),
            word ^ (ONES * u64::from(b'\\')),
        );
        let found = (quote.wrapping_sub(ONES) & !quote
            | slash.wrapping_sub(ONES) & !slash
            | word.wrapping_sub(ONES * 0x20) & !word)
            & HIGH;
        if found != 0 {
            return number * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let tail = rest
        .iter()
        .position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\');
    words.len() * 8 + tail.unwrap_or(rest.len())
}
