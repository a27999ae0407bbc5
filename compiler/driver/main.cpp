// The command `adjoule`.
#include "driver/command.hpp"

int main(int argc, char** argv) { return adjoule::driver::command(argc, argv); }
