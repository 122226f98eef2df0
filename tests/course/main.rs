//! The course and the judge as they stand: texts, exercises, answers, costs; and the map of the house.

mod answers;
mod content;
mod costs;
mod documents;
mod fuzz;
mod fuzz_files;
mod house;
mod kinds;
mod loading;
mod quotes;
