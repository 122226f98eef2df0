//! Markdown, mathematics and code colours to neutral styled blocks.
