//! The course and the judge as they stand: texts, exercises, answers, costs; and the map of the house.

mod answers;
mod content;
mod costs;
mod fuzz;
mod house;
mod kinds;
mod loading;
mod quotes;
