/** Experiments of seed 000: what a receive context costs. */
package dev.weft.launcher.repro.dsm;
