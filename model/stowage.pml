/* The protocol of stowage: see README.md. */
#include "store.pml"
#ifdef WITH_COMMIT
#include "commit.pml"
#endif
#include "trim.pml"
#include "publish.pml"

init {
  atomic {
#ifdef WITH_COMMIT
    run writer(0);
    run network(0);
    run reconciler(0);
#if WRITERS >= 2
    run writer(1);
    run network(1);
    run reconciler(1);
#endif
#if WRITERS >= 3
    run writer(2);
    run network(2);
    run reconciler(2);
#endif
    run gap_filler();
#else
    run producer();
#endif
#ifndef NO_TRIM
    run trimmer();
#endif
    run fanout(0);
#if FANOUTS >= 2
    run fanout(1);
#endif
#ifdef WITH_CLIENT
    run channel();
    run client();
#endif
#ifdef LEASE
    run clock();
#endif
    run verdict();
  }
}
