package dev.weft.fabric.subnet;

/** A node or multicast group that the subnet manager did not accept, and the reason. */
public record NodeRefusal(String name, String reason) {}
