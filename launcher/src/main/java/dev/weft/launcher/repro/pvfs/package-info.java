/** Experiments of seed 002: a parallel file system over InfiniBand. */
package dev.weft.launcher.repro.pvfs;
