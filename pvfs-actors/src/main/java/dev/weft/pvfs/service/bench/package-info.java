/**
 * {@code weft pvfs bench}: the measurements of seed 002 section 6, through the native interface on the fabric that is up. A client of its own joins the
 * fabric, so that what is measured is what a program sees.
 */
package dev.weft.pvfs.service.bench;
