/** A command as a process: other JVMs that it starts, how it ends, and where the media driver of its fabric is. */
package dev.weft.service.process;
