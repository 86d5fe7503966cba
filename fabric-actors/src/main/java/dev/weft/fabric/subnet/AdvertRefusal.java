package dev.weft.fabric.subnet;

/** An advert that the subnet manager did not take, and why. */
public record AdvertRefusal(String node, String service, String reason) {}
