use super::*;
use proptest::prelude::*;

/// Spans that have a finer role than code, as `role:text`.
fn coloured(language: &str, text: &str) -> Vec<String> {
    highlight(language, text)
        .into_iter()
        .flatten()
        .filter(|s| s.role != Role::Code)
        .map(|s| format!("{:?}:{}", s.role, s.text))
        .collect()
}

#[test]
fn cuda() {
    assert_eq!(
        coloured(
            "cuda",
            "#include <cuda_bf16.h>\n__global__ void f(const float* x) { /* a\nb */ x[0] = 1.5e-3f; } // c"
        ),
        [
            "Keyword:#include",
            "Keyword:__global__",
            "Type:void",
            "Keyword:const",
            "Type:float",
            "Comment:/* a",
            "Comment:b */",
            "Number:0",
            "Number:1.5e-3f",
            "Comment:// c",
        ]
    );
}

#[test]
fn what_cuda_brings_along() {
    assert_eq!(
        coloured(
            "cuda",
            "int i = blockIdx.x; __syncthreads(); y = expf(mine);"
        ),
        [
            "Type:int",
            "Builtin:blockIdx",
            "Builtin:__syncthreads",
            "Builtin:expf",
        ]
    );
}

#[test]
fn rust_lifetimes_are_no_strings() {
    assert_eq!(
        coloured(
            "rust",
            "fn f<'a>(s: &'a str) -> char { '\\n' } // 0..10\nlet r = 0..10;"
        ),
        [
            "Keyword:fn",
            "Type:str",
            "Type:char",
            "String:'\\n'",
            "Comment:// 0..10",
            "Keyword:let",
            "Number:0",
            "Number:10",
        ]
    );
}

#[test]
fn python() {
    assert_eq!(
        coloured(
            "python",
            "def f(x):\n    \"\"\"two\n    lines\"\"\"\n    return x + 1  # one"
        ),
        [
            "Keyword:def",
            "String:\"\"\"two",
            "String:    lines\"\"\"",
            "Keyword:return",
            "Number:1",
            "Comment:# one",
        ]
    );
}

#[test]
fn toml_and_shell() {
    assert_eq!(
        coloured(
            "toml",
            "[lab] # x\nstart = \"v1\"\nprices = true\nbatch = 8"
        ),
        [
            "Type:[lab] ",
            "Comment:# x",
            "String:\"v1\"",
            "Keyword:true",
            "Number:8"
        ]
    );
    assert_eq!(
        coloured("sh", "cd \"$HOME\" # go\necho 'a'"),
        [
            "Keyword:cd",
            "String:\"$HOME\"",
            "Comment:# go",
            "Keyword:echo",
            "String:'a'"
        ]
    );
}

#[test]
fn ptx() {
    assert_eq!(
        coloured(
            "ptx",
            ".reg .f32 %f1;\nfma.rn.f32 %f1, %f2, 0f3F800000; // x"
        ),
        [
            "Keyword:.reg",
            "Type:.f32",
            "Keyword:fma.rn.f32",
            "Number:0f3F800000",
            "Comment:// x"
        ]
    );
}

#[test]
fn an_open_string_ends_with_its_line() {
    assert_eq!(
        coloured("cuda", "a = \"open\nint b;"),
        ["String:\"open", "Type:int"]
    );
}

#[test]
fn tabs_go_to_the_next_stop() {
    let text = |t| {
        highlight("", t)
            .concat()
            .into_iter()
            .map(|s| s.text)
            .collect::<String>()
    };
    assert_eq!(text("\tx"), "    x");
    assert_eq!(text("ab\tx"), "ab  x");
}

#[test]
fn no_word_is_keyword_and_type() {
    for language in LANGUAGES {
        for word in language.types {
            assert!(
                !language.keywords.contains(word),
                "{word} in {:?}",
                language.names
            );
        }
    }
}

proptest! {
    #[test]
    fn no_character_is_lost(text in "[a-z0-9 \"'/*#.%{}\\\\\nµ漢]{0,80}", nth in 0usize..6) {
        let name = LANGUAGES[nth].names[0];
        let lines: Vec<String> = highlight(name, &text)
            .iter()
            .map(|l| l.iter().map(|s| s.text.as_str()).collect())
            .collect();
        let whole = text.strip_suffix('\n').unwrap_or(&text);
        prop_assert_eq!(lines.join("\n"), whole);
    }

    #[test]
    fn any_text_is_coloured(text: String, nth in 0usize..6) {
        let lines = highlight(LANGUAGES[nth].names[0], &text);
        prop_assert!(lines.iter().flatten().all(|s| !s.text.contains(char::is_control)));
    }
}
