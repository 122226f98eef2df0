//! Entry point of `tinyllama-tutor`.

fn main() -> std::process::ExitCode {
    tinyllama_tutor::cli::main()
}
