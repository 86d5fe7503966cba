/** What commands, and the JVMs that they ask, know of each other where they are not of one fabric. */
package dev.weft.pvfs.service.outside;
