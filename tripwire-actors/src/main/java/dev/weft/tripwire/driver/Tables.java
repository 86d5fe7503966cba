package dev.weft.tripwire.driver;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.NicSettings;
import dev.weft.tripwire.nic.NicSnapshot;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Apertures, mappings and endpoints of a NIC. Hardware thread. Bounds: the settings. */
public final class Tables {
  private final Driver nic;
  private final NicSettings settings;
  private final RandomGenerator random;
  private final ExportedAperture[] apertures;
  private final MappedAperture[] mappings;
  private final ArrayDeque<Integer> freeApertures = new ArrayDeque<>();
  private final ArrayDeque<Integer> freeMappings = new ArrayDeque<>();
  private final TreeMap<Integer, PortEndpoint> endpoints = new TreeMap<>();
  private final ArrayDeque<PortEndpoint> cache = new ArrayDeque<>();
  private int usedApertures;
  private int usedMappings;
  /** Unmapped mappings whose numbers stores in the ring may still name; oldest first. Bound: the mappings. */
  private final ArrayDeque<MappedAperture> unmapped = new ArrayDeque<>();
  private int serials;

  public Tables(Driver nic, NicSettings settings, RandomGenerator random) {
    this.nic = nic;
    this.settings = settings;
    this.random = random;
    apertures = new ExportedAperture[settings.aperturesMax() + 1];
    mappings = new MappedAperture[settings.mappingsMax() + 1];
  }

  public ExportedAperture export(MemorySegment segment) {
    ApertureMemory.checkShared(segment);
    if (segment.byteSize() < 1 || segment.byteSize() > NetworkAddress.OFFSET_LIMIT || segment.isReadOnly()) {
      throw new NicException(Status.INVALID, "an aperture has 1 to " + NetworkAddress.OFFSET_LIMIT
          + " bytes that can be written, this one " + segment.byteSize() + (segment.isReadOnly() ? " that cannot" : ""));
    }
    Integer number = freeApertures.poll();
    if (number == null) {
      if (usedApertures == settings.aperturesMax()) {
        throw new NicException(Status.EXHAUSTED,
            "the NIC has " + usedApertures + " apertures already; raise weft.tripwire.apertures-max");
      }
      number = ++usedApertures;
    }
    long[] keys = new long[Rights.ALL + 1];
    for (int rights = 0; rights < keys.length; rights++) {
      keys[rights] = random.nextLong();
    }
    ExportedAperture aperture = new ExportedAperture(nic, number, segment, keys);
    apertures[number] = aperture;
    return aperture;
  }

  /** The open aperture of that number, or null. */
  public ExportedAperture aperture(int number) {
    return number > 0 && number < apertures.length ? apertures[number] : null;
  }

  public void revoke(ExportedAperture aperture) {
    if (aperture.open) {
      aperture.open = false;
      apertures[aperture.number()] = null;
      freeApertures.add(aperture.number());
    }
  }

  public MappedAperture map(Descriptor descriptor) {
    reclaim();
    Integer number = freeMappings.poll();
    if (number == null) {
      if (usedMappings == settings.mappingsMax()) {
        throw new NicException(Status.EXHAUSTED,
            "the NIC has " + usedMappings + " mappings already; raise weft.tripwire.mappings-max");
      }
      number = ++usedMappings;
    }
    MappedAperture mapping = new MappedAperture(nic, number, serials++ & Integer.MAX_VALUE, descriptor);
    mappings[number] = mapping;
    return mapping;
  }

  /** Frees the numbers of unmapped mappings that no store in the ring names any more. */
  private void reclaim() {
    while (!unmapped.isEmpty() && unmapped.peek().unmappedAt <= nic.stores().taken()) {
      int number = unmapped.poll().number();
      mappings[number] = null;
      freeMappings.add(number);
    }
  }

  /** The mapping with that number, including an unmapped one with stores in the ring; or null. */
  public MappedAperture mapping(int number) {
    return number > 0 && number < mappings.length ? mappings[number] : null;
  }

  public void unmap(MappedAperture mapping) {
    if (mappings[mapping.number()] == mapping && mapping.unmappedAt < 0) {
      mapping.giveBack(nic.stores().offered());
      unmapped.add(mapping);
      reclaim();
    }
  }

  /** Fails the mappings of an aperture with a key, or of all apertures of a host if {@code aperture} is 0; returns their number. */
  public int failMappings(int lid, int aperture, long key, Status status, String cause) {
    int failed = 0;
    for (int i = 1; i <= usedMappings; i++) {
      MappedAperture mapping = mappings[i];
      if (mapping != null && mapping.lid == lid && (aperture == 0 || mapping.aperture == aperture && mapping.key == key)) {
        mapping.fail(status, cause);
        failed++;
      }
    }
    return failed;
  }

  /** Whether memory of that host or group is mapped. */
  public boolean isMapped(int lid) {
    for (int i = 1; i <= usedMappings; i++) {
      if (mappings[i] != null && mappings[i].lid == lid && mappings[i].unmappedAt < 0) {
        return true;
      }
    }
    return false;
  }

  /** Adds the hosts whose memory is mapped. */
  public void addPeers(Set<Integer> lids) {
    for (int i = 1; i <= usedMappings; i++) {
      if (mappings[i] != null && !mappings[i].hasFailed()) {
        lids.add(mappings[i].lid);
      }
    }
  }

  /** The NIC closes: ends everything in the tables. */
  public void closeAll() {
    for (int i = 1; i <= usedApertures; i++) {
      if (apertures[i] != null) {
        revoke(apertures[i]);
      }
    }
    for (int i = 1; i <= usedMappings; i++) {
      if (mappings[i] != null) {
        mappings[i].fail(Status.INVALID, "the NIC " + nic.name() + " is closed");
        mappings[i] = null;
      }
    }
    List.copyOf(endpoints.values()).forEach(this::closeEndpoint);
  }

  public List<DmaRing> dmaQueues() {
    return endpoints.values().stream().map(PortEndpoint::dma).toList();
  }

  public PortEndpoint endpoint(int port) {
    return endpoints.get(port);
  }

  /** Opens an endpoint, from the cache if possible. Port 0 selects a free port. */
  public PortEndpoint openEndpoint(int port) {
    int chosen = port;
    while (port == 0 && (chosen == 0 || endpoints.containsKey(chosen))) {
      chosen = 49_152 + random.nextInt(16_384);
      if (endpoints.size() >= settings.endpointsMax()) {
        break;
      }
    }
    if (endpoints.size() >= settings.endpointsMax()) {
      throw new NicException(Status.EXHAUSTED,
          "the NIC has " + endpoints.size() + " endpoints already; raise weft.tripwire.endpoints-max");
    }
    if (chosen < 1 || chosen > 65_535 || endpoints.containsKey(chosen)) {
      throw new NicException(Status.INVALID, "port " + chosen + (endpoints.containsKey(chosen) ? " is in use" : ", want 0 to 65535"));
    }
    PortEndpoint cached = cache.poll();
    PortEndpoint endpoint = cached != null ? cached : new PortEndpoint(nic, settings.messagesMax(), settings.dmaRequestsMax());
    endpoint.open(chosen);
    endpoints.put(chosen, endpoint);
    return endpoint;
  }

  public void closeEndpoint(PortEndpoint endpoint) {
    if (endpoint.open && endpoints.get(endpoint.port()) == endpoint) {
      endpoint.open = false;
      endpoint.queue = null;
      endpoints.remove(endpoint.port());
      if (cache.size() < settings.endpointCache() && endpoint.dma.hasFinished()) {
        cache.add(endpoint);
      }
    }
  }

  int cachedEndpoints() {
    return cache.size();
  }

  // Inspection.

  public List<NicSnapshot.Aperture> apertures() {
    List<NicSnapshot.Aperture> list = new ArrayList<>();
    for (ExportedAperture aperture : apertures) {
      if (aperture != null) {
        list.add(new NicSnapshot.Aperture(aperture.number(), aperture.length()));
      }
    }
    return list;
  }

  public List<NicSnapshot.Mapping> mappings() {
    List<NicSnapshot.Mapping> list = new ArrayList<>();
    for (MappedAperture m : mappings) {
      if (m != null && m.unmappedAt < 0) {
        list.add(new NicSnapshot.Mapping(m.number(), m.lid, m.aperture, m.length(), m.descriptor().rights(), m.status(), m.cause()));
      }
    }
    return list;
  }

  public List<NicSnapshot.Port> endpoints() {
    List<NicSnapshot.Port> list = new ArrayList<>();
    endpoints.forEach((port, e) -> list.add(new NicSnapshot.Port(port, e.waiting(), e.dma.waiting())));
    return list;
  }
}
