//! The signs that mathematics may use, as drawn and as spelled in ASCII.

/// How a sign keeps its distance from its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Letters, numbers, words.
    Ordinary,
    /// `max`, `log`: a space before its operand, none before a bracket.
    Function,
    /// A sum: its scripts stand above and below.
    Big,
    /// `+`: a space on both sides.
    Binary,
    /// `·`, `/`: binds without a space.
    Tight,
    /// `=`: more space.
    Relation,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,`: a space after it.
    Comma,
}

/// A bracket that grows with what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// `.` after `\left` or `\right`: nothing drawn.
    None,
    /// `(` or `)`
    Round,
    /// `[` or `]`
    Square,
    /// `\{` or `\}`
    Curly,
    /// `|`
    Bar,
    /// `\lceil` or `\rceil`
    Ceiling,
    /// `\lfloor` or `\rfloor`
    Floor,
}

/// Macros that stand for one sign: name, as drawn, in ASCII, class.
pub const SIGNS: &[(&str, &str, &str, Class)] = &[
    ("cdot", "·", "*", Class::Tight),
    ("times", "×", "x", Class::Binary),
    ("div", "÷", "/", Class::Binary),
    ("pm", "±", "+-", Class::Binary),
    ("odot", "⊙", "(*)", Class::Binary),
    ("oplus", "⊕", "(+)", Class::Binary),
    ("ast", "*", "*", Class::Binary),
    ("le", "≤", "<=", Class::Relation),
    ("leq", "≤", "<=", Class::Relation),
    ("ge", "≥", ">=", Class::Relation),
    ("geq", "≥", ">=", Class::Relation),
    ("lt", "<", "<", Class::Relation),
    ("gt", ">", ">", Class::Relation),
    ("ll", "«", "<<", Class::Relation),
    ("gg", "»", ">>", Class::Relation),
    ("ne", "≠", "!=", Class::Relation),
    ("neq", "≠", "!=", Class::Relation),
    ("approx", "≈", "~=", Class::Relation),
    ("sim", "~", "~", Class::Relation),
    ("equiv", "≡", "==", Class::Relation),
    ("propto", "∝", "~", Class::Relation),
    ("to", "→", "->", Class::Relation),
    ("rightarrow", "→", "->", Class::Relation),
    ("leftarrow", "←", "<-", Class::Relation),
    ("Rightarrow", "⇒", "=>", Class::Relation),
    ("in", "∈", "in", Class::Relation),
    ("sum", "Σ", "sum", Class::Big),
    ("prod", "Π", "prod", Class::Big),
    ("infty", "∞", "inf", Class::Ordinary),
    ("partial", "∂", "d", Class::Ordinary),
    ("top", "ᵀ", "T", Class::Ordinary),
    ("ldots", "…", "...", Class::Ordinary),
    ("dots", "…", "...", Class::Ordinary),
    ("cdots", "…", "...", Class::Ordinary),
    ("lceil", "⌈", "ceil(", Class::Open),
    ("rceil", "⌉", ")", Class::Close),
    ("lfloor", "⌊", "floor(", Class::Open),
    ("rfloor", "⌋", ")", Class::Close),
    ("lvert", "|", "|", Class::Open),
    ("rvert", "|", "|", Class::Close),
    ("langle", "<", "<", Class::Open),
    ("rangle", ">", ">", Class::Close),
    ("alpha", "α", "alpha", Class::Ordinary),
    ("beta", "β", "beta", Class::Ordinary),
    ("gamma", "γ", "gamma", Class::Ordinary),
    ("Gamma", "Γ", "Gamma", Class::Ordinary),
    ("delta", "δ", "delta", Class::Ordinary),
    ("Delta", "Δ", "Delta", Class::Ordinary),
    ("epsilon", "ε", "eps", Class::Ordinary),
    ("varepsilon", "ε", "eps", Class::Ordinary),
    ("zeta", "ζ", "zeta", Class::Ordinary),
    ("eta", "η", "eta", Class::Ordinary),
    ("theta", "θ", "theta", Class::Ordinary),
    ("Theta", "Θ", "Theta", Class::Ordinary),
    ("iota", "ι", "iota", Class::Ordinary),
    ("kappa", "κ", "kappa", Class::Ordinary),
    ("lambda", "λ", "lambda", Class::Ordinary),
    ("Lambda", "Λ", "Lambda", Class::Ordinary),
    ("mu", "µ", "mu", Class::Ordinary),
    ("nu", "ν", "nu", Class::Ordinary),
    ("xi", "ξ", "xi", Class::Ordinary),
    ("pi", "π", "pi", Class::Ordinary),
    ("Pi", "Π", "Pi", Class::Ordinary),
    ("rho", "ρ", "rho", Class::Ordinary),
    ("sigma", "σ", "sigma", Class::Ordinary),
    ("Sigma", "Σ", "Sigma", Class::Ordinary),
    ("tau", "τ", "tau", Class::Ordinary),
    ("phi", "φ", "phi", Class::Ordinary),
    ("varphi", "φ", "phi", Class::Ordinary),
    ("Phi", "Φ", "Phi", Class::Ordinary),
    ("chi", "χ", "chi", Class::Ordinary),
    ("psi", "ψ", "psi", Class::Ordinary),
    ("Psi", "Ψ", "Psi", Class::Ordinary),
    ("omega", "ω", "omega", Class::Ordinary),
    ("Omega", "Ω", "Omega", Class::Ordinary),
    ("ell", "l", "l", Class::Ordinary),
    ("mid", "|", "|", Class::Relation),
    // Escaped characters.
    ("%", "%", "%", Class::Ordinary),
    ("_", "_", "_", Class::Ordinary),
    ("#", "#", "#", Class::Ordinary),
    ("$", "$", "$", Class::Ordinary),
    ("&", "&", "&", Class::Ordinary),
    ("{", "{", "{", Class::Open),
    ("}", "}", "}", Class::Close),
];

/// Macros that are words set upright and spaced as functions. The flag says
/// that a script stands below the word, not beside it.
pub const FUNCTIONS: &[(&str, bool)] = &[
    ("max", true),
    ("min", true),
    ("lim", true),
    ("arg", false),
    ("exp", false),
    ("log", false),
    ("ln", false),
    ("lg", false),
    ("sin", false),
    ("cos", false),
    ("tan", false),
    ("tanh", false),
    ("det", false),
    ("gcd", false),
    ("mod", false),
];

/// Macros that are space, with its columns.
pub const SPACES: &[(&str, usize)] = &[
    (",", 1),
    (":", 1),
    (";", 1),
    (" ", 1),
    ("!", 0),
    ("quad", 2),
    ("qquad", 4),
    ("displaystyle", 0),
    ("limits", 0),
];

/// Macros that set their argument as words.
pub const WORDS: &[&str] = &[
    "text",
    "mathrm",
    "mathit",
    "mathbf",
    "mathsf",
    "mathtt",
    "textrm",
    "textit",
    "textbf",
    "texttt",
    "operatorname",
];

/// Names after `\left` and `\right`, and the delimiter that each draws.
pub const DELIMITERS: &[(&str, Delimiter)] = &[
    (".", Delimiter::None),
    ("(", Delimiter::Round),
    (")", Delimiter::Round),
    ("[", Delimiter::Square),
    ("]", Delimiter::Square),
    ("\\{", Delimiter::Curly),
    ("\\}", Delimiter::Curly),
    ("|", Delimiter::Bar),
    ("\\lvert", Delimiter::Bar),
    ("\\rvert", Delimiter::Bar),
    ("\\lceil", Delimiter::Ceiling),
    ("\\rceil", Delimiter::Ceiling),
    ("\\lfloor", Delimiter::Floor),
    ("\\rfloor", Delimiter::Floor),
];

impl Delimiter {
    /// As drawn on one row, opening and closing.
    pub fn pair(self, ascii: bool) -> (&'static str, &'static str) {
        match (self, ascii) {
            (Delimiter::None, _) => ("", ""),
            (Delimiter::Round, _) => ("(", ")"),
            (Delimiter::Square, _) => ("[", "]"),
            (Delimiter::Curly, _) => ("{", "}"),
            (Delimiter::Bar, _) => ("|", "|"),
            (Delimiter::Ceiling, false) => ("⌈", "⌉"),
            (Delimiter::Ceiling, true) => ("ceil(", ")"),
            (Delimiter::Floor, false) => ("⌊", "⌋"),
            (Delimiter::Floor, true) => ("floor(", ")"),
        }
    }

    /// As drawn on `height` rows, opening or closing, one column or a word of
    /// equal width on each.
    pub fn tall(self, height: usize, closing: bool, ascii: bool) -> Vec<String> {
        let (open, close) = self.pair(ascii);
        if height <= 1 || self == Delimiter::None {
            return vec![(if closing { close } else { open }).to_owned(); height];
        }
        let bar = if ascii { "|" } else { "│" };
        let (top, bottom) = match (self, ascii, closing) {
            (Delimiter::Round, _, false) => ("/", "\\"),
            (Delimiter::Round, _, true) => ("\\", "/"),
            (Delimiter::Square, false, false) => ("┌", "└"),
            (Delimiter::Square, false, true) => ("┐", "┘"),
            (Delimiter::Ceiling, false, false) => ("┌", bar),
            (Delimiter::Ceiling, false, true) => ("┐", bar),
            (Delimiter::Floor, false, false) => (bar, "└"),
            (Delimiter::Floor, false, true) => (bar, "┘"),
            (Delimiter::Square, true, false) => ("[", "["),
            (Delimiter::Square, true, true) => ("]", "]"),
            (Delimiter::Ceiling | Delimiter::Floor, true, false) => ("/", "\\"),
            (Delimiter::Ceiling | Delimiter::Floor, true, true) => ("\\", "/"),
            (Delimiter::Curly, _, false) => ("{", "{"),
            (Delimiter::Curly, _, true) => ("}", "}"),
            _ => (bar, bar),
        };
        let middle = if matches!((self, ascii), (Delimiter::Square | Delimiter::Curly, true)) {
            top
        } else {
            bar
        };
        (0..height)
            .map(|row| match row {
                0 => top,
                r if r + 1 == height => bottom,
                _ => middle,
            })
            .map(str::to_owned)
            .collect()
    }

    /// The word before a bracket that has no shape of its own in ASCII.
    pub fn word(self, ascii: bool) -> &'static str {
        match (self, ascii) {
            (Delimiter::Ceiling, true) => "ceil",
            (Delimiter::Floor, true) => "floor",
            _ => "",
        }
    }
}
