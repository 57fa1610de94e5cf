//! Every integration test of the core in one program: twenty would each be compiled and linked by itself.
//!
//! A file that is not listed here is not run; `layers` holds this list to the folder.

mod bytes;
mod folder;
mod house;

mod account;
mod canonical;
mod conflict;
mod crash;
mod decide;
mod devices;
mod digest;
mod embedding;
mod flow;
mod forgotten;
mod fuzz;
mod judges;
mod layers;
mod library;
mod procedures;
mod relations;
mod screen;
mod store;
mod store_files;
mod store_forget;
mod store_fuzz;
mod store_swift;
mod store_wire;
mod window;
