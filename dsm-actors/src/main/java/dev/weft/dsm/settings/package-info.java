/** The settings of a shared memory, from the section {@code weft.dsm} of the configuration. */
package dev.weft.dsm.settings;
