//! Errors that are one sentence.

/// An error type that is one sentence: what is wrong, where, and the way out. Nothing
/// but its words is asked of it; an error that is told apart by its kind is an enum.
#[macro_export]
macro_rules! sentence {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name(String);

        impl $name {
            /// An error with its sentence.
            pub fn new(sentence: impl Into<String>) -> Self {
                Self(sentence.into())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::error::Error for $name {}
    };
}
