/** Experiments of seed 004. */
package dev.weft.launcher.repro.netvm;
