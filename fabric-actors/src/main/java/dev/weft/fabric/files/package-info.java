/** Directories and files that are one user's alone, although others may write beside them: what the fabric keeps in them is its memory. */
package dev.weft.fabric.files;
