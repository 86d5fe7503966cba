package dev.weft.tripwire;

import dev.weft.tripwire.cam.Cam;
import dev.weft.tripwire.cam.PassingStream;
import dev.weft.tripwire.cam.RequestRing;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** A NIC's device, as its objects see it; {@link NicCore} is its only subclass. Hardware thread, except for requests and the phase of the stream. */
abstract class DeviceView {
  final NicSettings settings;
  final NicCounters counters = new NicCounters();
  final Cam cam;
  final RequestRing requests;
  final PassingStream stream;

  DeviceView(NicSettings settings) {
    this.settings = settings;
    cam = new Cam(settings.tripwiresMax(), settings.fifoEntries());
    requests = new RequestRing(settings.requestRingBytes(), cam);
    stream = new PassingStream(cam, requests);
  }

  /** Whether there is room for that many packets of stores or messages. Also true if they never fit at once, but none waits. */
  abstract boolean hasRoom(int packets);

  /** Stores bytes that no other code changes; the caller has checked that there is room. */
  abstract void store(RemoteAperture target, long offset, MemorySegment bytes, boolean more);

  abstract void read(RemoteAperture from, long offset, MemorySegment into, Consumer<Status> done);

  abstract boolean sendMessage(Endpoint from, int lid, int toPort, byte[] bytes);

  /** The mapping with that number, including an unmapped one with stores in the ring; or null. */
  abstract RemoteAperture mapping(int number);

  abstract void unmap(RemoteAperture mapping);

  abstract void revoke(LocalAperture aperture);

  abstract void closeEndpoint(Endpoint endpoint);

  abstract void setActions(int id, int actions);

  abstract void free(Tripwire tripwire);

  abstract void interruptIf(boolean fired);
}
