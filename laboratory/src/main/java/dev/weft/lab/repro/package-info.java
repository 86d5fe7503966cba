/**
 * {@code weft repro}: runs the experiments of the seeds in virtual time and prints each row of {@code figures.csv} beside what
 * our code gives. Experiments see {@code calibrate} rows only ({@link dev.weft.lab.figures.Calibration}); the report alone
 * reads the rest, after the run. But for the experiments that say so, nothing here depends on the machine or on the time: the same
 * profile and seed give the same report, byte for byte.
 */
package dev.weft.lab.repro;
