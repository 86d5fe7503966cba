/** The file system in {@code weft up} and on the command line. Begin with {@code PvfsService}, then {@code PvfsDeployment} and {@code Requests}. */
package dev.weft.pvfs.service;
