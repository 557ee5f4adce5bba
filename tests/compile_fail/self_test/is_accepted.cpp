// SPDX-License-Identifier: BSL-1.0
// expect: anything
#ifdef MUST_FAIL
int harmless = 1;
#endif
int main() {}
