//! The veto of credentials. The scanner stands in [`crate::text::secret`], because cutting and failure signatures need it before any screen.

pub use crate::text::secret::{MARKER, Secret, contains, find, redact, spans};
