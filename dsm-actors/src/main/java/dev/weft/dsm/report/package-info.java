/** The state of a node of shared memory, as commands and inspection show it. */
package dev.weft.dsm.report;
