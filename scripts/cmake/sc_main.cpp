// libsystemc.so holds a `main` of its own that calls `sc_main`, so the linker wants one although nobody here calls it:
// every executable brings its own `main`, and the simulator elaborates without `sc_main`.
extern "C" int sc_main(int argc, char** argv);
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 3; }
