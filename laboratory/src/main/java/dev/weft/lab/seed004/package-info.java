/**
 * Seed 004, NetVM: transfers to memory that is not pinned, notifications and locks; {@code weft netvm} measures them on a profile and on
 * this machine.
 */
package dev.weft.lab.seed004;
