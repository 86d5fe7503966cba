/** Events of Java Flight Recorder, for what is not on the fast path: faults and waits. Off until a recording wants them. */
package dev.weft.dsm.events;
