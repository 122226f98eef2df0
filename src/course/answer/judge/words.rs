//! Words around a number that say nothing of their own.

use plan::units::{Unit, is_number_word};

/// Words before a number.
const BEFORE: &str = "about approximately approx roughly around circa ca some exactly just only \
precisely nearly almost it is its it's they are there be by of a an the factor at from least most \
up to answer result total saves saved save gives makes equals i think maybe probably say again \
still always i'd all so thus hence therefore";

/// Words behind it.
const BEHIND: &str = "in total altogether overall together all each as fast long much many large \
big more less fewer larger smaller higher lower faster slower longer shorter better worse saved \
moved needed or so exactly approximately roughly about only again still and up above on here it \
them that these those of the a an for wide first";

/// Signs that say that the number is a bound or rounded; its digits say so already.
const SIGNS: [char; 8] = ['≥', '≤', '~', '≈', '=', '>', '<', '∼'];

/// A question, as far as it says what an answer may repeat of it.
pub(super) struct Asking {
    /// In small letters.
    text: String,
    words: Vec<String>,
}

impl Asking {
    pub fn of(ask: &str) -> Self {
        let text = ask.to_lowercase();
        let words = text.split(|c: char| !c.is_alphabetic() && c != '_');
        Self {
            words: words
                .filter(|word| word.chars().count() >= 3)
                .map(|word| stem(word).to_owned())
                .collect(),
            text,
        }
    }

    /// Without quotation marks and the stops at its end.
    pub fn unquoted<'t>(&self, text: &'t str) -> &'t str {
        text.trim()
            .trim_matches(['"', '“', '”', '„', '`'])
            .trim_end_matches([';', ',', '!', '?', ' '])
    }

    /// The number with its unit, without the words around it.
    pub fn bare<'t>(&self, text: &'t str) -> &'t str {
        self.ended(self.begun(text))
    }

    /// Whether the question says the name of a unit.
    pub fn names(&self, unit: Unit) -> bool {
        let word = |word: &str| self.words.iter().any(|w| w == word);
        match unit.symbol() {
            "B" => word("byte"),
            "FLOP" => word("flop") || word("operation"),
            "us" | "µs" => word("microsecond") || self.text.contains("µs"),
            symbol => {
                let words = self
                    .text
                    .split(|c: char| c.is_whitespace() || "?,.:;()".contains(c));
                !symbol.is_empty() && words.into_iter().any(|w| w == symbol.to_lowercase())
            }
        }
    }

    fn begun<'t>(&self, text: &'t str) -> &'t str {
        let mut text = text.trim();
        loop {
            let end = text.find(char::is_whitespace).unwrap_or(text.len());
            let (word, mut rest) = text.split_at(end);
            if let Some(behind) = text.strip_prefix(SIGNS) {
                text = behind.trim_start_matches('=').trim_start();
                continue;
            }
            rest = rest.trim_start();
            let plain = word.trim_end_matches([':', '.', ',']).to_lowercase();
            let idle = BEFORE.split(' ').any(|w| w == plain) || self.repeats(&plain);
            if !idle || !has_number(rest) {
                return text;
            }
            text = rest;
        }
    }

    fn ended<'t>(&self, text: &'t str) -> &'t str {
        let mut text = text.trim();
        loop {
            text = text.trim_end_matches([';', ',', '!', '?', ' ']);
            if let Some(head) = self.of_something(text) {
                text = head;
                continue;
            }
            let cut = |c: char| c.is_whitespace() || c == '/';
            let Some(at) = text.rfind(cut) else {
                return text;
            };
            let (head, word) = text.split_at(at);
            let sign = word.chars().next().map_or(0, char::len_utf8);
            let plain = word
                .get(sign..)
                .unwrap_or_default()
                .trim_end_matches('.')
                .to_lowercase();
            let divided = word.starts_with('/');
            let per = head.trim_end().strip_suffix("per").filter(|_| !divided);
            let head = match (divided, per) {
                (false, None) if BEHIND.split(' ').any(|w| w == plain) => head,
                (false, None) if self.repeats(&plain) => head,
                (true, _) if self.of_one(&plain) => head,
                (false, Some(head)) if self.of_one(&plain) => head,
                _ => return text,
            };
            if !has_number(head) {
                return text;
            }
            text = head.trim_end();
        }
    }

    /// `29.6 % of the bytes`: the number, where what follows holds no other and
    /// no unit of its own.
    fn of_something<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (head, tail) = text.split_once(" of ")?;
        let share = head.trim_end().ends_with(['%', 'x']);
        let units = tail.split_whitespace().any(is_unit);
        let whole = ["the ", "all ", "its "]
            .iter()
            .any(|word| tail.starts_with(word));
        let stays = share || whole || !units;
        (has_number(head) && !has_number(tail) && stays).then_some(head.trim_end())
    }

    /// A word of the question that is no number, no unit and no function.
    fn repeats(&self, word: &str) -> bool {
        word.chars().count() >= 3
            && word.chars().all(|c| c.is_alphabetic() || c == '_')
            && self.words.iter().any(|w| w == stem(word))
            && !is_number_word(word)
            && !is_unit(word)
    }

    /// Whether the question is about one of these: then an answer per one is.
    fn of_one(&self, noun: &str) -> bool {
        let said = ["one", "a", "an", "per", "each", "every", "whole", "the"];
        if is_unit(noun) {
            return false;
        }
        let noun = stem(noun);
        let mut words = self.text.split(|c: char| !c.is_alphanumeric());
        let mut before = words.next().unwrap_or_default();
        words.any(|word| {
            let found =
                !noun.is_empty() && stem(word) == noun && word == noun && said.contains(&before);
            before = word;
            found
        })
    }
}

/// Without the `s` of several.
fn stem(word: &str) -> &str {
    let hissing =
        |one: &&str| one.ends_with(['x', 's']) || one.ends_with("ch") || one.ends_with("sh");
    let several = word.strip_suffix("es").filter(hissing);
    several.or(word.strip_suffix('s')).unwrap_or(word)
}

fn is_unit(word: &str) -> bool {
    Unit::parse(word).is_ok_and(|unit| unit != Unit::NONE)
}

/// Whether a digit or a number in words stands in a text.
pub(super) fn has_number(text: &str) -> bool {
    text.contains(|c: char| c.is_numeric())
        || text
            .split(|c: char| !c.is_alphabetic())
            .any(|word| !word.is_empty() && is_number_word(word))
}
