// SPDX-License-Identifier: BSL-1.0
// expect: graph: needs num_nodes
#ifdef MUST_FAIL
int broken = ;
#endif
