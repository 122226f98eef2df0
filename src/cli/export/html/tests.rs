use super::*;
use course::KINDS;
use text::parse;

/// Values read `42 <B>`; there is a lesson `07-v1-census` and an exercise `ex1`.
fn html(text: &str) -> String {
    let resolve = |value: &Value| match value.expression.as_str() {
        "wrong" => Resolved::error("(no such name)"),
        _ => Resolved::value("42 <B>"),
    };
    let place = |id: &str| match id {
        "07-v1-census" => Some(href(id)),
        "ex1" => Some(format!("{}#ex1", href("07-v1-census"))),
        _ => None,
    };
    let writer = Writer {
        resolve: &resolve,
        place: &place,
    };
    let mut ids = Ids::default();
    let document = parse(text, 1, &KINDS);
    let sections = document.sections.iter();
    sections
        .map(|s| writer.blocks(&s.blocks, &mut ids))
        .collect()
}

#[test]
fn nothing_in_a_text_becomes_a_tag() {
    assert_eq!(escape("<a href='x\">&"), "&lt;a href=&#39;x&quot;&gt;&amp;");
    assert_eq!(escape("a\x1b[31m\u{202e}b"), "a␛[31m\u{fffd}b");
    let out = html(
        "<script>alert(1)</script> & `<b>` **<i>** [<u>](https://x.y/\"onclick=\"z)\n\n```html\n<img src=x>\n```\n\n| <p> |\n|---|\n| <q> |\n\n$a < b$\n",
    );
    for tag in [
        "<script", "<b>", "<i>", "<u>", "<img", "<p> ", "<q>", "a < b",
    ] {
        assert!(!out.contains(tag), "{tag} in {out}");
    }
    assert!(out.contains("<mi>a</mi><mo>&lt;</mo><mi>b</mi>"), "{out}");
    assert!(out.contains("&lt;img src=x&gt;"), "{out}");
    assert!(!out.contains("\"onclick"), "{out}");
}

#[test]
fn every_kind_of_block_has_its_element() {
    let out = html(
        "# Title\n\nWords `= x | B` and `= wrong`, *soft* and **loud**, `code`.\n\n### Part\n\n### Part\n\n\
         - one\n- two\n\n  more\n\n3. three\n\n> aside\n\n| name | bytes |\n|---|---|\n| q | 1,024 |\n| k | 64 |\n\n\
         ```cuda\nint i = 42; // row\n```\n\n$$\n\\frac{a}{b} = c\n$$\n\n---\n",
    );
    for part in [
        "<h3 id=\"title\">Title</h3>",
        "<span class=\"value\">42 &lt;B&gt;</span>",
        "<span class=\"error\">(no such name)</span>",
        "<em>soft</em>",
        "<strong>loud</strong>",
        "<code>code</code>",
        "<h3 id=\"part\">Part</h3>",
        "<h3 id=\"part-2\">Part</h3>",
        "<li>one</li>",
        "<li>two<p>more</p>",
        "<ol start=\"3\">",
        "<aside>\n<p>aside</p>",
        "<th scope=\"col\">name</th><th scope=\"col\" class=\"right\">bytes</th>",
        "<td>k</td><td class=\"right\">64</td>",
        "<span class=\"type\">int</span> i = <span class=\"number\">42</span>;",
        "<span class=\"comment\">// row</span>",
        "<div class=\"math\" tabindex=\"0\"><math display=\"block\" alttext=\"a/b = c\">",
        "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>",
        "<hr>",
    ] {
        assert!(out.contains(part), "{part} not in {out}");
    }
}

#[test]
fn a_live_block_within_an_aside_is_shown_as_written() {
    let out = html("> ```lab\n> start = \"v1\"\n> ```\n");
    assert!(out.contains("<figcaption>lab</figcaption>"), "{out}");
    assert!(out.contains("start = &quot;v1&quot;"), "{out}");
}

#[test]
fn a_link_leads_to_the_web_to_a_lesson_or_nowhere() {
    for (target, to) in [
        ("https://x.y/?a=1&b=2", "https://x.y/?a=1&amp;b=2"),
        ("#part", "#part"),
        ("07-v1-census", "./07-v1-census.html"),
        ("../lessons/07-v1-census.md#sum", "./07-v1-census.html#sum"),
        ("ex1", "./07-v1-census.html#ex1"),
    ] {
        let out = html(&format!("[words]({target})"));
        assert_eq!(out, format!("<p><a href=\"{to}\">words</a></p>\n"));
    }
    for target in [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/x",
        "30-none",
    ] {
        assert_eq!(html(&format!("[words]({target})")), "<p>words</p>\n");
    }
    assert_eq!(href("a b:ü"), "./a%20b%3A%C3%BC.html");
}
