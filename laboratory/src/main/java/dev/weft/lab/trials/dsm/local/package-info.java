/**
 * Shared memory within one JVM ({@link dev.weft.lab.trials.dsm.local.LocalSpace}), to compare with programs that share memory between nodes. It keeps the
 * guarantees of {@link dev.weft.dsm.SharedSpace}, minipages included, and sends no messages.
 *
 * <p>Invariant: several elements of a minipage are read and written under the minipage's lock. A single read takes no lock; the lock's stamp then
 * tells whether a write came meanwhile.
 */
package dev.weft.lab.trials.dsm.local;
