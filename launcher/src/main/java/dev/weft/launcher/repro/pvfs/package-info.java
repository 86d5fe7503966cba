/** Experiments of seed 002: verbs under a parallel file system. */
package dev.weft.launcher.repro.pvfs;
