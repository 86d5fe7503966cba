/** Events of Java Flight Recorder, for what is not on the fast path: faults and waits. Without a recording they do nothing. */
package dev.weft.dsm.events;
