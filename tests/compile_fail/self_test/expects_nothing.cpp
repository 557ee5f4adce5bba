// SPDX-License-Identifier: BSL-1.0
#ifdef MUST_FAIL
int broken = ;
#endif
