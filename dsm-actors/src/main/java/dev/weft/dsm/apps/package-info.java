/**
 * The applications by which shared memory is measured (seed 000, table 2): SOR, LU, IS, TSP, Water, N-body, N-bodyW, Barnes-Hut; see
 * {@code docs/guides/shared-memory-tools.md}. Each is one source: one worker on a {@link dev.weft.dsm.local.LocalSpace} is its sequential form,
 * any number of workers on any {@link dev.weft.dsm.SharedSpace} its shared one.
 *
 * <p>Invariants: inputs come from fixed seeds; what a worker does depends on its index and the number of workers alone, but for the
 * races that an application's Javadoc names; no clock is read, so that the same code runs in real and in virtual time. Inner loops run
 * on local arrays, which are filled and written back by whole minipages.
 */
package dev.weft.dsm.apps;
