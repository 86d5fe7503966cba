/** How the commands of the file system show what they have found: tables, and a line that says how far they are. */
package dev.weft.pvfs.service.show;
