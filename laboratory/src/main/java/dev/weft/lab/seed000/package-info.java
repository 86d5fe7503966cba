/**
 * Seed 000, software DSM on kernel access to InfiniBand: receive contexts (Table 1), in virtual time, on this machine and between two
 * JVMs of it.
 */
package dev.weft.lab.seed000;
