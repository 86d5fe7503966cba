/**
 * The applications that measure shared memory (Kernel DSM, table 2): SOR, LU, IS, TSP, Water, N-body, N-bodyW, Barnes-Hut; see
 * {@code docs/guides/shared-memory-tools.md}. Begin with {@link dev.weft.lab.trials.dsm.apps.Application}. One source serves both forms: one worker on a
 * {@link dev.weft.lab.trials.dsm.local.LocalSpace} is the sequential form, any number of workers on any {@link dev.weft.dsm.SharedSpace} the shared one.
 *
 * <p>Invariants: inputs come from fixed seeds. The actions of a worker depend only on its index and the number of workers, except for races that an
 * application's Javadoc names. No code reads a clock, so the same code runs in real and in virtual time. Inner loops run on local arrays, which are
 * filled and written back by whole minipages.
 */
package dev.weft.lab.trials.dsm.apps;
