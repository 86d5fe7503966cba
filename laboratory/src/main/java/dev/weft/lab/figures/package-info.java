/**
 * The numbers that the five seeds report, as data ({@code figures.csv}). A row's use says what it is for: a profile may read
 * {@code calibrate} rows only, through {@link dev.weft.lab.figures.Calibration}; {@code predict} rows are results of the
 * protocol code and are read by nothing but the report that compares.
 */
package dev.weft.lab.figures;
