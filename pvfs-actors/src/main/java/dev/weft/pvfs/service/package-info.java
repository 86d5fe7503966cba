/** The file system in {@code weft up} and on the command line. */
package dev.weft.pvfs.service;
