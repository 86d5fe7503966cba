/** Plots: one painter that draws a chart, two canvases (SVG text, PNG through java.awt without a display). */
package dev.weft.lab.repro.plot;
