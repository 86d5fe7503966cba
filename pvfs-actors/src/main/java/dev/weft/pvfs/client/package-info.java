/**
 * The library side of seed 002 section 3.2: it cuts what a program asks for into requests to daemons, chooses how the data of each moves (communication
 * manager), registers the program's memory (buffer manager), and sends no more than the daemons have given credits for (transport).
 */
package dev.weft.pvfs.client;
