package dev.weft.tripwire.driver;

import dev.weft.tripwire.cam.Cam;
import dev.weft.tripwire.cam.PassingStream;
import dev.weft.tripwire.cam.RequestRing;
import dev.weft.tripwire.nic.NicSettings;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** A NIC's device, as its objects see it; {@code NicCore} is its only subclass. Hardware thread, except for requests and the phase of the stream. */
public abstract class DeviceView {
  public final NicSettings settings;
  public final NicCounters counters = new NicCounters();
  public final Cam cam;
  public final RequestRing requests;
  public final PassingStream stream;

  protected DeviceView(NicSettings settings) {
    this.settings = settings;
    cam = new Cam(settings.tripwiresMax(), settings.fifoEntries());
    requests = new RequestRing(settings.requestRingBytes(), cam);
    stream = new PassingStream(cam, requests);
  }

  /** Whether there is room for that many packets of stores or messages. Also true if they never fit at once, but none waits. */
  public abstract boolean hasRoom(int packets);

  /** Stores bytes that no other code changes; the caller has checked that there is room. */
  public abstract void store(MappedAperture target, long offset, MemorySegment bytes, boolean more);

  public abstract void read(MappedAperture from, long offset, MemorySegment into, Consumer<Status> done);

  public abstract boolean sendMessage(PortEndpoint from, int lid, int toPort, byte[] bytes);

  /** The mapping with that number, including an unmapped one with stores in the ring; or null. */
  public abstract MappedAperture mapping(int number);

  public abstract void unmap(MappedAperture mapping);

  public abstract void revoke(ExportedAperture aperture);

  public abstract void closeEndpoint(PortEndpoint endpoint);

  public abstract void setActions(int id, int actions);

  public abstract void free(CamTripwire tripwire);

  public abstract void interruptIf(boolean fired);
}
